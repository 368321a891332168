"""Further looks at a page within seconds tell noise from change: while a source is new, or if it changes every time."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction

from ronda.change.learning import Finding, found_at_once
from ronda.change.reading import outlines_of
from ronda.change.rules import Ignoring
from ronda.rounds import noise_learning
from ronda.rounds.models import PageState, Source, Visit, VisitOutcome, VisitPage, VisitState
from ronda.rounds.news import Changed
from ronda.rounds.noise_models import Look, NoiseState
from ronda.rounds.page_states import page_of
from ronda.rounds.queueing import look_again

logger = logging.getLogger(__name__)

# Visits that found a source changed on which a further look is taken whatever it shows; then only if every visit does.
LEARNING_VISITS = 3
LOOKS_A_VISIT = 2
PAGES_A_LOOK = 4


def is_wanted(visit: Visit) -> bool:
    """A first further look while learning, or when everything changes again; a second if the first left a doubt."""
    taken = visit.looks.order_by("-number").values_list("number", flat=True).first() or 0
    if taken >= LOOKS_A_VISIT:
        return False
    if taken:
        return visit.source.noise.filter(state=NoiseState.SUSPECTED, times_at_once__gt=0).exists()
    looked = Visit.objects.filter(source=visit.source, looks__isnull=False).distinct()
    return looked.count() < LEARNING_VISITS or _changes_every_time(visit.source)


def _changes_every_time(source: Source) -> bool:
    """The last visits all kept a version, and none of them looked twice: something new may differ on every look."""
    last = source.visits.filter(state=VisitState.ENDED).order_by("-opened_at")[:LEARNING_VISITS]
    return len(last) == LEARNING_VISITS and all(
        visit.outcome == VisitOutcome.CAPTURED and not visit.looks.exists() for visit in last
    )


def look(visit: Visit, changed: Sequence[Changed]) -> None:
    """Ask for these pages once more; what they were stays in their looks."""
    number = 1 + (visit.looks.order_by("-number").values_list("number", flat=True).first() or 0)
    pages = [one.page for one in changed[:PAGES_A_LOOK]]
    with transaction.atomic():
        Look.objects.bulk_create(
            Look(
                visit=visit,
                number=number,
                url=page.url,
                url_digest=page.url_digest,
                capture=page.capture,
                status=page.status,
            )
            for page in pages
        )
        look_again(visit, pages, number)
        visit.requests += len(pages)
        visit.save(update_fields=["requests"])


def learn(visit: Visit, pages: Sequence[VisitPage], ignoring: Ignoring) -> None:
    """Compare what came of further looks with the looks before them. One that failed is as if it had not been made."""
    by_url = {page.url_digest: page for page in pages}
    for before in visit.looks.filter(is_compared=False).select_related(
        "capture__file", "capture__refers_to__file"
    ):
        page = by_url.get(before.url_digest)
        if page:
            _settle(before, page)
            noise_learning.note_at_once(visit.source, _findings(before, page, ignoring))
    visit.looks.filter(is_compared=False).update(is_compared=True)


def _settle(before: Look, page: VisitPage) -> None:
    """Without another answer, the page is what it was on the look before."""
    is_answered = page.state == PageState.ANSWERED and page.status == before.status
    if is_answered and page.capture_id and not page.is_unchanged:
        return
    page.state, page.status, page.capture = PageState.ANSWERED, before.status, before.capture
    page.reason, page.is_unchanged = "", False
    page.save(update_fields=["state", "status", "capture", "reason", "is_unchanged"])


def _findings(before: Look, page: VisitPage, ignoring: Ignoring) -> list[Finding]:
    if not before.capture or not page.capture or before.capture.digest == page.capture.digest:
        return []
    try:
        both = outlines_of(page_of(before.capture), page_of(page.capture), ignoring)
    except (OSError, EOFError) as error:
        logger.warning("cannot compare two looks at %s: %s", page.url, error)
        return []
    return found_at_once(*both) if both else []
