"""The cheap look first: entry pages, and whatever else of the site tells of changes, asked only for what is new."""

from __future__ import annotations

from django.db import transaction

from ronda.frontier.services import digest_of
from ronda.rounds import capturing, closing
from ronda.rounds.known import last_version
from ronda.rounds.models import PageRole, PageState, Version, Visit, VisitCause, VisitOutcome, VisitPage
from ronda.rounds.queueing import NewPage, add_pages, ask_for, url_policy
from ronda_node.urls import canonicalise

MOST_PROBES = 6
TELLING = (PageRole.ENTRY, PageRole.SITEMAP, PageRole.FEED)


def go_on(visit: Visit) -> None:
    """Begin, or judge what came; while something is missing, wait."""
    if visit.cause == VisitCause.HAND:
        capturing.begin(visit)
        return
    pages = list(visit.pages.select_related("capture").order_by("pk"))
    before = last_version(visit.source)
    if before is None:
        capturing.begin(visit)
    elif not pages:
        _ask(visit, before)
    elif all(page.state != PageState.QUEUED for page in pages):
        _judge(visit, before, pages)
    elif capturing.is_out_of_time(visit):
        closing.end(visit, VisitOutcome.DOWN, "no answer in time")


def _ask(visit: Visit, before: Version) -> None:
    """The source's own URL first, whatever it was answered with."""
    telling = before.visit.pages.filter(role__in=TELLING, status__lt=400, capture__isnull=False)
    url = canonicalise(visit.source.url, url_policy())
    wanted = {url.text: NewPage(url, PageRole.ENTRY)}
    for page in telling.order_by("pk")[:MOST_PROBES]:
        wanted.setdefault(
            page.url, NewPage(canonicalise(page.url, url_policy()), PageRole(page.role), depth=page.depth)
        )
    with transaction.atomic():
        ask_for(visit, add_pages(visit, list(wanted.values())), is_probe=True)


def _judge(visit: Visit, before: Version, pages: list[VisitPage]) -> None:
    entry = next(page for page in pages if page.role == PageRole.ENTRY)
    if outcome := closing.trouble_of(entry):
        closing.end(visit, outcome, closing.reason_of(entry))
        return
    digests = _digests(before, pages)
    changed = [page for page in pages if _is_changed(page, digests)]
    if changed:
        capturing.begin(visit, brought=changed)
    else:
        closing.end(visit, VisitOutcome.UNCHANGED)


def _digests(before: Version, pages: list[VisitPage]) -> dict[str, str]:
    """Of the URLs that answered: a page may have moved on its own host."""
    urls = [page.capture.url for page in pages if page.capture]
    rows = before.visit.pages.filter(url_digest__in=[digest_of(url) for url in urls])
    return dict(rows.values_list("url", "capture__digest"))


def _is_changed(page: VisitPage, digests: dict[str, str]) -> bool:
    """A sitemap or feed that cannot be had today says nothing."""
    if page.state != PageState.ANSWERED or page.capture is None or page.status >= 400 or page.is_unchanged:
        return False
    return page.capture.digest != digests.get(page.capture.url)
