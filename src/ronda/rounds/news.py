"""Whether a page says something new: its bytes against those of the last version, without what is known as noise."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from django.db.models import Case, Q, QuerySet, Value, When

from ronda.archive.models import Capture
from ronda.archive.reading import response_field, response_record
from ronda.change.learning import found_later, only_part
from ronda.change.reading import outlines_of
from ronda.change.rules import Ignoring
from ronda.change.scoring import REPLACED, SAME, Score, score
from ronda.frontier.services import digest_of
from ronda.rounds import noise_learning
from ronda.rounds.models import PageRole, PageState, Source, Version, Visit, VisitPage
from ronda.rounds.page_states import page_of

logger = logging.getLogger(__name__)

# Pages read to find out whether a capture has news; of a larger one, other bytes are news.
MOST_READ = 1_000
HEAD_BYTES = 72 * 1024
GONE = (404, 410)
_READ_FIRST = Case(
    When(role=PageRole.ENTRY, then=Value(0)), When(role=PageRole.PAGE, then=Value(1)), default=Value(2)
)
_WITH_FILES = ("capture__file", "capture__refers_to__file")


@dataclass(frozen=True)
class Changed:
    """A page whose bytes are not those of the last version. No `before`: it was not part of it."""

    page: VisitPage
    before: Capture | None
    after: Capture


def bytes_changed(pages: Sequence[VisitPage], before: Version) -> list[Changed]:
    """Of pages that were answered. A page may have moved on its own host: the URL that answered counts."""
    urls = [page.capture.url for page in pages if page.capture]
    rows = before.visit.pages.filter(url_digest__in=[digest_of(url) for url in urls], capture__isnull=False)
    held = {row.url: row.capture for row in rows.select_related(*_WITH_FILES)}
    found = []
    for page in pages:
        old = held.get(page.capture.url) if page.capture else None
        if page.capture and (old is None or old.digest != page.capture.digest):
            found.append(Changed(page, old, page.capture))
    return found


def meaningful(changed: Sequence[Changed], ignoring: Ignoring) -> list[Changed]:
    return [one for one in changed if score_of(one, ignoring).is_meaningful]


def score_of(one: Changed, ignoring: Ignoring) -> Score:
    """What cannot be read counts as changed: better a version too many."""
    if one.before is None:
        return REPLACED
    if one.before.digest == one.after.digest:
        return SAME
    try:
        return score(page_of(one.before), page_of(one.after), ignoring)
    except (OSError, EOFError) as error:
        logger.warning("cannot compare %s: %s", one.page.url, error)
        return REPLACED


def learn_from(source: Source, changed: Sequence[Changed], ignoring: Ignoring) -> None:
    """From looks far apart: clocks by what they say, and parts that differ while nothing else does. Not from feeds and
    sitemaps: their dates tell of changes."""
    for one in changed:
        if one.before is None or one.page.role in (PageRole.SITEMAP, PageRole.FEED):
            continue
        try:
            both = outlines_of(page_of(one.before), page_of(one.after), ignoring)
            moments = served_at(one.before), served_at(one.after)
        except (OSError, EOFError):
            continue
        if both is None:
            continue
        noise_learning.note_certain(source, found_later(*both, *moments))
        if len(changed) == 1 and (finding := only_part(*both)):
            noise_learning.note_alone(source, finding)


def served_at(capture: Capture) -> datetime:
    """By the server's own clock, which is the one its pages show; without it, by ours."""
    told = response_field(response_record(capture, HEAD_BYTES), b"date")
    try:
        found = parsedate_to_datetime(told)
    except ValueError:
        return capture.fetched_at
    return found if found.tzinfo else capture.fetched_at


def is_news(visit: Visit, before: Version) -> bool:
    """A page that is new, or that a reader could tell from what it was. What is gone shows on the pages that led
    there, and so does a part that is new."""
    ignoring = noise_learning.ignoring_of(visit.source)
    for number, one in enumerate(_differing(visit, before)):
        is_read = one.before is not None and one.after.status < 300 and number < MOST_READ
        if not is_read or score_of(one, ignoring).is_meaningful:
            return True
    return False


def _differing(visit: Visit, before: Version) -> Iterator[Changed]:
    """What people read comes first: mostly the first one tells."""
    had = {_state_of(row) for row in before.visit.pages.values_list(*_STATE)}
    held = dict(_held_by(before).values_list("url_digest", "capture"))
    kept = visit.pages.filter(state=PageState.DONE, capture__isnull=False).select_related(*_WITH_FILES)
    for page in kept.order_by(_READ_FIRST, "pk").iterator(chunk_size=200):
        if page.capture is None or page.capture.is_cut_short or _is_hidden(page):
            continue
        if _state_of((page.url_digest, page.status, page.capture.digest)) in had:
            continue
        if page.url_digest in held:
            yield Changed(page, _capture(held[page.url_digest]), page.capture)
        elif older := _kept_earlier(page, before):
            yield Changed(page, older, page.capture)
        elif page.role in (PageRole.ENTRY, PageRole.PAGE):
            yield Changed(page, None, page.capture)


def _is_hidden(page: VisitPage) -> bool:
    """By an error that does not say that the page is gone."""
    return page.status >= 400 and page.status not in GONE


def _held_by(version: Version) -> QuerySet[VisitPage]:
    """What it knows of its URLs: a server's error or half a page tells nothing."""
    return version.visit.pages.filter(capture__isnull=False, capture__truncated__in=["", "length"]).filter(
        Q(status__lt=400) | Q(status__in=GONE)
    )


def _kept_earlier(page: VisitPage, before: Version) -> Capture | None:
    """The version left the page out, or did not meet it: what the source's versions before it held of it."""
    kept = Capture.objects.filter(
        url_digest=page.url_digest,
        source=before.source_id,
        visit__lt=before.visit_id,
        truncated="",
        status__lt=400,
    ).filter(voided_at=None, forgotten_at=None)
    return kept.select_related("file", "refers_to__file").order_by("-fetched_at").first()


def _capture(capture_id: int) -> Capture:
    return Capture.objects.select_related("file", "refers_to__file").get(pk=capture_id)


_STATE = ("url_digest", "status", "capture__digest")


def _state_of(row: tuple[uuid.UUID, int, str | None]) -> tuple[uuid.UUID, int | str | None]:
    """Of an error only its status: its page may well have the time on it."""
    url, status, digest = row
    return url, status if status >= 400 else digest
