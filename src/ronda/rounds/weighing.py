"""Weighs what changed: scores of pages, of the version as a whole, returns to what was, changes of the template.

A version's scores are the highest of any of its pages, so that a template touched on a thousand pages is one change.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Sequence

from django.db.models import Q, QuerySet

from ronda.archive.models import Capture
from ronda.change.documents import Page
from ronda.change.mass import Mass, PageTouch, mass_of, touch_of
from ronda.change.reading import outline_of, outlines_of
from ronda.change.rules import Ignoring
from ronda.change.scoring import REPLACED, SAME, Score, Weights, score_alone, score_outlines
from ronda.policies.queries import value_of
from ronda.rounds.diff_models import PageDiff, PageFate, VersionDiff
from ronda.rounds.listening import tell_score
from ronda.rounds.models import PageRole, PageState, Source, Version, Visit
from ronda.rounds.page_states import page_of
from ronda.rounds.policies import IMPORTANT_FROM, WEIGHTS
from ronda.rounds.score_models import VersionScore

logger = logging.getLogger(__name__)

READ_BY_PEOPLE = (PageRole.ENTRY, PageRole.PAGE)
# Pages that came or went and are read to see how much there is in them.
MOST_ALONE = 50
MOST_DRIVERS = 5
MOST_PLACES = 20
# What a page is made of counts in its looks; how much a picture or script does, nobody can tell from its bytes.
PICTURE_VIEW = 0.1
SCRIPT_FORM = 0.2

SCORED = (
    "view",
    "form",
    "content",
    "score",
    "components",
    "places",
    "nature",
    "state_before",
    "state_after",
)


def weights_now() -> Weights:
    given = [float(str(value_of(policy))) for policy in WEIGHTS]
    total = sum(given)
    return Weights(*(one / total for one in given)) if total else Weights()


def threshold_of(source: Source) -> float:
    """F(μ): the source's own, or that of the settings."""
    own = source.threshold
    return own if own is not None else float(str(value_of(IMPORTANT_FROM)))


def score_page(row: PageDiff, before: Page, after: Page, ignoring: Ignoring, weights: Weights) -> None:
    """Fill in how much a changed page changed. It is saved by whoever asked."""
    both = outlines_of(before, after, ignoring)
    if both is None or before.payload == after.payload:
        found = REPLACED if before.payload != after.payload else SAME
    else:
        found = score_outlines(*both)
        row.state_before, row.state_after = (uuid.UUID(bytes=one.fingerprint()) for one in both)
        if row.role in READ_BY_PEOPLE:
            touch = touch_of(*both, found)
            row.places, row.nature = sorted(touch.places)[:MOST_PLACES], touch.nature
    _fill(row, found if row.role != PageRole.REQUISITE else _as_part(found, after.mime), weights)


def _fill(row: PageDiff, found: Score, weights: Weights) -> None:
    row.view, row.form, row.content = found.view, found.form, found.content
    row.score = found.total(weights)
    row.components = {name.value: round(value, 4) for name, value in found.components.items()}


def _as_part(found: Score, mime: str) -> Score:
    """Of a style sheet, picture or script: what it does to the page it is part of."""
    if "css" in mime:
        return Score(view=found.content, components=found.components)
    if mime.startswith(("image/", "font/")):
        return Score(view=PICTURE_VIEW, components=found.components)
    return Score(form=SCRIPT_FORM * found.content, components=found.components)


def weigh(diff: VersionDiff) -> VersionScore | None:
    """Once all pages are scored. Only the comparison with the version right before it is what a version weighs."""
    version = diff.after
    if diff.before is None or diff.before != _version_before(version):
        return None
    weights = weights_now()
    _score_alone(diff, weights)
    pages = list(diff.pages.filter(score__gt=0).order_by("-score", "url"))
    view, form, content = (
        max((getattr(p, n) for p in pages), default=0.0) for n in ("view", "form", "content")
    )
    changed = [page for page in pages if page.fate == PageFate.CHANGED]
    returned = _returned_to(version, diff, changed)
    mass = _mass(version, changed)
    total = Score(view, form, content).total(weights)
    threshold = threshold_of(version.source)
    found, _ = VersionScore.objects.update_or_create(
        version=version,
        defaults={
            "view": view,
            "form": form,
            "content": content,
            "score": total,
            "threshold": threshold,
            "is_important": bool(pages) and total >= threshold and returned is None,
            "pages_bytes": diff.pages.filter(fate=PageFate.CHANGED).count(),
            "pages_meaning": len(changed),
            "returns_to": returned,
            "mass_pages": mass.pages if mass else 0,
            "mass_part": mass.part[:600] if mass else "",
            "drivers": [_driver(page) for page in pages[:MOST_DRIVERS]],
        },
    )
    Visit.objects.filter(pk=version.visit_id).update(
        pages_bytes=found.pages_bytes, pages_meaning=found.pages_meaning
    )
    tell_score(found)
    return found


def _version_before(version: Version) -> Version | None:
    kept = Version.objects.filter(source=version.source_id, number__lt=version.number, forgotten_at=None)
    return kept.order_by("-number").first()


def _driver(page: PageDiff) -> dict[str, object]:
    driver = max(page.components, key=lambda name: page.components[name], default="")
    return {"url": page.url, "fate": page.fate, "score": round(page.score or 0, 4), "component": driver}


def _score_alone(diff: VersionDiff, weights: Weights) -> None:
    """Pages that came or went, by how much there is to read in them."""
    rows = diff.pages.filter(fate__in=[PageFate.ADDED, PageFate.REMOVED], role__in=READ_BY_PEOPLE, score=None)
    files = [
        f"capture_{side}__{file}" for side in ("before", "after") for file in ("file", "refers_to__file")
    ]
    scored = list(rows.select_related(*files).order_by("pk")[:MOST_ALONE])
    for row in scored:
        _fill(row, _alone(row.capture_after or row.capture_before), weights)
    PageDiff.objects.bulk_update(scored, ["view", "form", "content", "score", "components"])


def _alone(capture: Capture | None) -> Score:
    try:
        return score_alone(outline_of(page_of(capture)) if capture else None)
    except (OSError, EOFError) as error:
        logger.warning("cannot read %s: %s", capture, error)
        return SAME


def _mass(version: Version, changed: Sequence[PageDiff]) -> Mass | None:
    touched = [
        PageTouch(frozenset(page.places), page.nature) for page in changed if page.role in READ_BY_PEOPLE
    ]
    pages = version.visit.pages.filter(role__in=READ_BY_PEOPLE, state=PageState.DONE, status__lt=300)
    return mass_of(touched, pages.count())


def _returned_to(version: Version, diff: VersionDiff, changed: Sequence[PageDiff]) -> Version | None:
    """The version whose pages these are again, if every one that changed is as it was before."""
    came_or_went = diff.pages.filter(fate__in=[PageFate.ADDED, PageFate.REMOVED], role__in=READ_BY_PEOPLE)
    pages = [page for page in changed if page.role in READ_BY_PEOPLE]
    if not pages or came_or_went.exists():
        return None
    states = {(page.url_digest, page.state_after) for page in pages}
    seen: dict[tuple[uuid.UUID, uuid.UUID | None], int] = {}
    for url, state, number in _states_before(version, [page.url_digest for page in pages]):
        if (url, state) in states:
            seen[url, state] = max(seen.get((url, state), 0), number)
    if len(seen) < len(states):
        return None
    return version.source.versions.filter(number=min(seen.values()), forgotten_at=None).first()


def _states_before(
    version: Version, urls: Sequence[uuid.UUID]
) -> Iterable[tuple[uuid.UUID, uuid.UUID | None, int]]:
    rows: QuerySet[PageDiff] = PageDiff.objects.filter(
        Q(state_before__isnull=False),
        diff__after__source=version.source_id,
        diff__after__number__lt=version.number,
        url_digest__in=urls,
    )
    fields = ("url_digest", "state_before", "diff__before__number", "state_after", "diff__after__number")
    for url, before, before_number, after, after_number in rows.values_list(*fields):
        yield url, before, before_number
        yield url, after, after_number
