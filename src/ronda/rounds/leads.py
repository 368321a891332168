"""What an answered page of a visit leads to: read out of the archive, whatever it is."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from django.db import DatabaseError

from ronda.archive.models import Capture
from ronda.archive.payload import payload_of
from ronda.archive.reading import AROUND_BYTES, record_with, response_field, response_record
from ronda.frontier import robots
from ronda.frontier.models import Host
from ronda.frontier.services import digest_of
from ronda.rounds import links, sitemaps
from ronda.rounds.models import PageRole, PageState, Scope, Source, Visit, VisitPage
from ronda.rounds.queueing import url_policy
from ronda.rounds.references import Kind
from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE, Policy
from ronda_node.urls import CanonicalUrl, canonicalise, join

logger = logging.getLogger(__name__)

# Of a page, links are read as far as this; of anything longer, the rest is data.
READ_BYTES = 8 * 1024**2
REDIRECTS = frozenset({301, 302, 303, 307, 308})
TEXT_TYPES = links.HTML_TYPES | links.CSS_TYPES


@dataclass(frozen=True)
class Found:
    url: CanonicalUrl
    role: PageRole
    depth: int


def found_on(page: VisitPage, source: Source) -> list[Found]:
    """In the order it stands there. What cannot be read leads nowhere."""
    capture = page.capture
    if capture is None:
        return []
    try:
        found = list(_found(page, capture))
    except DatabaseError:
        raise
    except Exception:
        # The border to strangers' bytes: one page that breaks a reader must not keep its capture from going on.
        logger.exception("%s cannot be read", capture)
        found = []
    if page.role == PageRole.ENTRY and source.scope != Scope.PAGE:
        found += _named_by_robots(page)
    return found


def _found(page: VisitPage, capture: Capture) -> Iterator[Found]:
    if capture.status in REDIRECTS:
        location = response_field(response_record(capture, AROUND_BYTES), b"location")
        yield from _joined(capture.url, [(location, PageRole(page.role), page.depth)])
    elif capture.status == 200 and page.role in (PageRole.SITEMAP, PageRole.FEED):
        yield from _in_list(
            page, payload_of(record_with(capture.holder, sitemaps.MOST_BYTES), sitemaps.MOST_BYTES)
        )
    elif capture.status == 200 and capture.mime in TEXT_TYPES:
        yield from _in_text(page, capture)


def _in_list(page: VisitPage, body: bytes) -> Iterator[Found]:
    if page.role == PageRole.FEED:
        urls, role = sitemaps.read_feed(body), PageRole.PAGE
    else:
        sitemap = sitemaps.read_sitemap(body)
        urls, role = sitemap.urls, PageRole.SITEMAP if sitemap.is_index else PageRole.PAGE
    yield from _joined(page.url, [(url, role, page.depth + 1) for url in urls])


def _in_text(page: VisitPage, capture: Capture) -> Iterator[Found]:
    record = record_with(capture.holder, READ_BYTES)  # a revisit has none of its own
    content_type = response_field(record, b"content-type")
    references = links.references_in(
        payload_of(record, READ_BYTES), mime=capture.mime, content_type=content_type
    )
    roles = [
        (reference.text, *placed)
        for reference in references.found
        if (placed := _placed(page, reference.kind)) is not None
    ]
    yield from _joined(_base(capture.url, references.base), roles)


def _placed(page: VisitPage, kind: Kind) -> tuple[PageRole, int] | None:
    """What a reference makes of its target. A part may have parts; if it is a frame, it leads on like a page."""
    is_part = page.role == PageRole.REQUISITE
    match kind:
        case Kind.REQUISITE:
            return PageRole.REQUISITE, page.depth + 1 if is_part else page.depth
        case Kind.MOVED:
            return PageRole(page.role), page.depth
        case Kind.FEED:
            return (PageRole.FEED, page.depth) if page.role == PageRole.ENTRY else None
    return PageRole.PAGE, page.depth + 1


def _base(url: str, base: str) -> str:
    try:
        return join(canonicalise(url, ANYWHERE), base, ANYWHERE).text if base else url
    except UrlRefused:
        return url


def _joined(base: str, references: list[tuple[str, PageRole, int]]) -> Iterator[Found]:
    start, policy = canonicalise(base, ANYWHERE), url_policy()
    root = canonicalise(f"{start.scheme}://{start.authority}/", ANYWHERE)
    for text, role, depth in references:
        is_rooted = text.startswith("/") and not text.startswith("//")
        try:
            url = _joined_to_root(root, text, policy) if is_rooted else join(start, text, policy)
        except UrlRefused:
            continue  # no address of the web
        yield Found(url, role, depth)


@lru_cache(maxsize=2000)
def _joined_to_root(root: CanonicalUrl, text: str, policy: Policy) -> CanonicalUrl:
    """Most of what a page refers to is what the page before referred to."""
    return join(root, text, policy)


def _named_by_robots(page: VisitPage) -> list[Found]:
    """The sitemaps its robots.txt names; without any, where most have theirs."""
    url = canonicalise(page.url, ANYWHERE)
    text = Host.objects.filter(name=url.authority).values_list("robots_text", flat=True).first() or ""
    named = robots.sitemaps(text) or ["/sitemap.xml"]
    return list(_joined(url.text, [(name, PageRole.SITEMAP, 0) for name in named]))


def settled(page: VisitPage, visit: Visit) -> VisitPage | None:
    """The page is done. If it moved on its own host, it keeps the redirect, and where it led is a page, too."""
    page.state = PageState.DONE
    last = page.capture
    if last is None or last.url == page.url:
        return None
    page.capture = (
        Capture.objects.filter(
            url_digest=page.url_digest, pk__lt=last.pk, fetched_at__gte=visit.opened_at, url=page.url
        )
        .order_by("-pk")
        .first()
    )
    return VisitPage(
        visit=visit,
        url=last.url,
        url_digest=digest_of(last.url),
        role=page.role,
        state=PageState.DONE,
        depth=page.depth,
        found_on=page,
        status=page.status,
        capture=last,
        is_unchanged=page.is_unchanged,
    )
