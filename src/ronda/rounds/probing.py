"""The cheap look first: entry pages, what else tells of changes, and a few pages more, asked only for what is new."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext_noop

from ronda.rounds import capturing, closing, looking_again, news, noise_learning
from ronda.rounds.known import last_version
from ronda.rounds.models import PageRole, PageState, Version, Visit, VisitCause, VisitOutcome, VisitPage
from ronda.rounds.queueing import NewPage, add_pages, ask_for, url_policy
from ronda.rounds.sampling import sample_of
from ronda_node.urls import canonicalise

MOST_PROBES = 6
ONLY_NOISE = gettext_noop("nothing but noise")
TELLING = (PageRole.ENTRY, PageRole.SITEMAP, PageRole.FEED)


def go_on(visit: Visit) -> None:
    """Begin, or judge what came; while something is missing, wait."""
    if visit.cause == VisitCause.HAND:
        capturing.begin(visit)
        return
    pages = list(visit.pages.select_related("capture__file", "capture__refers_to__file").order_by("pk"))
    before = last_version(visit.source)
    if before is None:
        capturing.begin(visit)
    elif not pages:
        _ask(visit, before)
    elif all(page.state != PageState.QUEUED for page in pages):
        _judge(visit, before, pages)
    elif capturing.is_out_of_time(visit):
        closing.end_unanswered(visit)


def _ask(visit: Visit, before: Version) -> None:
    """The source's own URL first, whatever it was answered with."""
    telling = before.visit.pages.filter(role__in=TELLING, status__lt=400, capture__isnull=False)
    url = canonicalise(visit.source.url, url_policy())
    wanted = {url.text: NewPage(url, PageRole.ENTRY)}
    told = list(telling.order_by("pk")[:MOST_PROBES])
    is_told = any(page.role != PageRole.ENTRY for page in told)
    for page in [*told, *sample_of(visit, before, is_told=is_told)]:
        wanted.setdefault(
            page.url, NewPage(canonicalise(page.url, url_policy()), PageRole(page.role), depth=page.depth)
        )
    with transaction.atomic():
        ask_for(visit, add_pages(visit, list(wanted.values())), is_probe=True)


def _judge(visit: Visit, before: Version, pages: list[VisitPage]) -> None:
    """Three events apart: other bytes, a change a reader could tell, and (at the end of a capture) a version."""
    entry = next(page for page in pages if page.role == PageRole.ENTRY)
    ignoring = noise_learning.ignoring_of(visit.source)
    looking_again.learn(visit, pages, ignoring)
    if outcome := closing.trouble_of(entry):
        closing.end(visit, outcome, closing.reason_of(entry))
        return
    changed = news.bytes_changed([page for page in pages if _is_told(page)], before)
    visit.pages_bytes = len(changed)
    if changed and not visit.looks.exists():
        news.learn_from(visit.source, changed, ignoring)
    ignoring = noise_learning.ignoring_of(visit.source)
    telling = news.meaningful(changed, ignoring)
    visit.pages_meaning = len(telling)
    if telling and looking_again.is_wanted(visit):
        looking_again.look(visit, telling)
        return
    noise_learning.note_used(visit.source, ignoring)
    if telling:
        capturing.begin(visit, brought=[one.page for one in changed])
    else:
        visit.size_bytes = sum(one.after.page_bytes for one in changed)
        closing.end(visit, VisitOutcome.UNCHANGED, ONLY_NOISE if changed else "")


def _is_told(page: VisitPage) -> bool:
    """A sitemap or feed that cannot be had today says nothing."""
    return page.state == PageState.ANSWERED and page.status < 400 and not page.is_unchanged
