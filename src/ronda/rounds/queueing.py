"""Puts URLs of a visit before the nodes: a page each, and a request."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from django.conf import settings

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
    """Those the visit has not had; in a transaction with what follows from them."""
    digests = {frontier.digest_of(page.url.text): page for page in pages}
    had = VisitPage.objects.filter(visit=visit, url_digest__in=digests).values_list("url_digest", flat=True)
    for digest in had:
        del digests[digest]
    rows = [
        VisitPage(
            visit=visit,
            url=page.url.text,
            url_digest=digest,
            role=page.role,
            state=PageState.LEFT if page.url.text in reasons_to_leave else PageState.QUEUED,
            reason=reasons_to_leave.get(page.url.text, ""),
            depth=page.depth,
            found_on_id=page.found_on,
            pattern=page.pattern,
        )
        for digest, page in digests.items()
    ]
    return VisitPage.objects.bulk_create(rows)


def ask_for(visit: Visit, pages: Sequence[VisitPage], *, is_probe: bool = False) -> None:
    """Requests for pages that wait. Their rows are there before: a host that opted out is told of at once."""
    known = known_captures(last_version(visit.source), [page.url for page in pages])
    if is_probe:
        _put(visit, PROBE, "", FIRST_PRIORITY, pages, known)
        return
    later = [page for page in pages if page.role == PageRole.PAGE]
    _put(visit, VISIT, "", FIRST_PRIORITY, [page for page in pages if page.role != PageRole.PAGE], known)
    _put(visit, VISIT, "pages", PAGES_PRIORITY, later, known)


def _put(
    visit: Visit, purpose: str, kind: str, priority: int, pages: Sequence[VisitPage], known: dict[str, Known]
) -> None:
    if not pages:
        return
    batch = frontier.open_batch(purpose=purpose, owner=owner_of(visit.pk, kind), priority=priority)
    wanted = []
    for page in pages:
        url = canonicalise(page.url, ANYWHERE)
        wanted.append(
            Wanted(
                url.text,
                url.authority,
                url.scheme,
                is_for_trusted=not visit.source.is_for_any_node,
                known=known.get(page.url),
                is_kept_unchanged=purpose != PROBE,
            )
        )
    frontier.put_requests(batch=batch, wanted=wanted)


def ask_again(visit: Visit, pages: Sequence[VisitPage]) -> None:
    """Pages that a probe found as they were, to be put on record by the capture."""
    VisitPage.objects.filter(pk__in=[page.pk for page in pages]).update(
        state=PageState.QUEUED, status=0, reason="", capture=None, is_unchanged=False
    )
    ask_for(visit, pages)
