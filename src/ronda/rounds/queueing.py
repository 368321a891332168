"""Puts URLs of a visit before the nodes: a page each, and a request."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db import connection

from ronda.database.named_sql import named_sql
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Known, Wanted
from ronda.rounds.hearing import PROBE, VISIT, owner_of
from ronda.rounds.known import known_captures, last_version
from ronda.rounds.models import PageRole, PageState, Visit, VisitPage
from ronda_node.policy import ANYWHERE, PUBLIC_WEB, Policy
from ronda_node.urls import CanonicalUrl, canonicalise

# What a page is made of comes before further pages, so that what is there at the end of a budget is whole.
PAGES_PRIORITY = 1
FIRST_PRIORITY = 0


@dataclass(frozen=True)
class NewPage:
    """A URL that a visit is to have."""

    url: CanonicalUrl
    role: PageRole
    depth: int = 0
    found_on: int | None = None
    pattern: uuid.UUID | None = None


def url_policy() -> Policy:
    """What may be fetched here at all."""
    return ANYWHERE if settings.RONDA.allow_private_networks else PUBLIC_WEB


def add_pages(
    visit: Visit, pages: Sequence[NewPage], reasons_to_leave: Mapping[str, str] = MappingProxyType({})
) -> list[VisitPage]:
    """Those the visit has not had; in a transaction with what follows from them. One statement, however many."""
    rows = {digest: _row(visit, digest, page, reasons_to_leave) for digest, page in _by_digest(pages).items()}
    if not rows:
        return []
    arguments: dict[str, Any] = {
        "visit": visit.pk,
        "urls": [row.url for row in rows.values()],
        "digests": list(rows),
        "roles": [row.role for row in rows.values()],
        "states": [row.state for row in rows.values()],
        "reasons": [row.reason for row in rows.values()],
        "depths": [row.depth for row in rows.values()],
        "found_on": [row.found_on_id for row in rows.values()],
        "patterns": [row.pattern for row in rows.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "add_pages"), arguments)
        for number, digest in cursor.fetchall():
            rows[digest].pk = number
    return [row for row in rows.values() if row.pk]


def _by_digest(pages: Sequence[NewPage]) -> dict[uuid.UUID, NewPage]:
    return {frontier.digest_of(page.url.text): page for page in pages}


def _row(visit: Visit, digest: uuid.UUID, page: NewPage, reasons_to_leave: Mapping[str, str]) -> VisitPage:
    url = page.url.text
    return VisitPage(
        visit=visit,
        url=url,
        url_digest=digest,
        role=page.role,
        state=PageState.LEFT if url in reasons_to_leave else PageState.QUEUED,
        reason=reasons_to_leave.get(url, ""),
        depth=page.depth,
        found_on_id=page.found_on,
        pattern=page.pattern,
    )


def ask_for(visit: Visit, pages: Sequence[VisitPage], *, is_probe: bool = False) -> None:
    """Requests for pages that wait. Their rows are there before: a host that opted out is told of at once."""
    if not pages:
        return
    known = known_captures(last_version(visit.source), [page.url for page in pages])
    if is_probe:
        _put(visit, PROBE, [("", FIRST_PRIORITY, pages)], known)
        return
    first = [page for page in pages if page.role != PageRole.PAGE]
    later = [page for page in pages if page.role == PageRole.PAGE]
    _put(visit, VISIT, [("", FIRST_PRIORITY, first), ("pages", PAGES_PRIORITY, later)], known)


def _put(
    visit: Visit,
    purpose: str,
    kinds: Sequence[tuple[str, int, Sequence[VisitPage]]],
    known: Mapping[str, Known],
) -> None:
    """`kinds`: by name and priority, each a batch of its own."""
    wanted = []
    for kind, priority, pages in kinds:
        if pages:
            owner = owner_of(visit.pk, kind)
            batch = frontier.open_batch(purpose=purpose, owner=owner, priority=priority)
            wanted += [(batch, _wanted(visit, purpose, page, known)) for page in pages]
    if wanted:
        frontier.put_all(wanted)


def _wanted(visit: Visit, purpose: str, page: VisitPage, known: Mapping[str, Known]) -> Wanted:
    url = canonicalise(page.url, ANYWHERE)
    return Wanted(
        url.text,
        url.authority,
        url.scheme,
        is_for_trusted=not visit.source.is_for_any_node,
        known=known.get(page.url),
        is_kept_unchanged=purpose != PROBE,
    )


def ask_again(visit: Visit, pages: Sequence[VisitPage]) -> None:
    """Pages that a probe found as they were, to be put on record by the capture."""
    VisitPage.objects.filter(pk__in=[page.pk for page in pages]).update(
        state=PageState.QUEUED, status=0, reason="", capture=None, is_unchanged=False
    )
    ask_for(visit, pages)


def look_again(visit: Visit, pages: Sequence[VisitPage], number: int) -> None:
    """Pages a probe has just got, once more: the same bytes cost nothing. Without validators: servers say that nothing
    changed while counters did."""
    known = {
        page.url: Known(capture_id=page.capture.pk, digest=page.capture.digest)
        for page in pages
        if page.capture
    }
    VisitPage.objects.filter(pk__in=[page.pk for page in pages]).update(
        state=PageState.QUEUED, status=0, reason="", capture=None, is_unchanged=False
    )
    _put(visit, PROBE, [(f"look {number}", FIRST_PRIORITY, pages)], known)
