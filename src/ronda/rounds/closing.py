"""The end of a visit: what came of it, the version if one is worth keeping, and when to come again."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ronda.frontier.ending import CANCELLED, cancel_batch, forget_batches
from ronda.frontier.models import Batch
from ronda.grid.robots_refusals import ROBOTS_UNREACHABLE
from ronda.rounds import leftovers, news, planning
from ronda.rounds.hearing import PROBE, VISIT, visit_of
from ronda.rounds.known import last_version
from ronda.rounds.models import (
    PageRole,
    PageState,
    Visit,
    VisitOutcome,
    VisitPage,
    VisitState,
)
from ronda.rounds.selecting import NO_MORE_BUDGET, NO_MORE_PAGES
from ronda.rounds.version_making import make_version

NO_ANSWER = "no answer in time"
# What waits at the end of a budget, in the queue or taken out of it: nobody cancelled it.
_WAITING = Q(state__in=[PageState.QUEUED, PageState.ANSWERED]) | Q(
    state=PageState.LEFT, reason=CANCELLED.reason
)
_EXPECTED = Q(role__in=[PageRole.ENTRY, PageRole.PAGE])
FAILED = Q(state=PageState.FAILED) | (Q(status__gte=400) & ~Q(role=PageRole.SITEMAP))


def trouble_of(entry: VisitPage) -> VisitOutcome | None:
    """Whether the source cannot be had at all, going by its entry page."""
    # Who does not give a robots.txt allows nothing (RFC 9309), and mostly is just down.
    is_silent = entry.reason == ROBOTS_UNREACHABLE
    if entry.state == PageState.REFUSED and not is_silent:
        return VisitOutcome.REFUSED
    if is_silent or entry.state == PageState.FAILED or entry.status >= 400:
        return VisitOutcome.DOWN
    return None


def reason_of(page: VisitPage) -> str:
    return page.reason or (f"answered with status {page.status}" if page.status else "")


def close(visit: Visit, reason: str = "") -> None:
    """Everything was answered, or the budget is used up: a version, if there is anything new in it."""
    if NO_MORE_PAGES in visit.left_out and not reason:
        reason = f"ended at {visit.source.max_pages:,} pages"
    before = last_version(visit.source)
    # Files are read before anything is locked.
    has_news = before is None or news.is_news(visit, before)
    with transaction.atomic():
        # Late answers wait for these rows, and then find that nobody waits for them.
        waiting = visit.pages.filter(_WAITING)
        waiting.update(state=PageState.LEFT, reason=NO_MORE_BUDGET)
        kept = visit.pages.filter(state=PageState.DONE, capture__isnull=False)
        if not kept.filter(_EXPECTED, status__lt=300).exists():
            end(visit, *_trouble_of(visit, reason))
        elif not has_news:
            end(visit, VisitOutcome.UNCHANGED, reason)
        else:
            _count_failures(visit)
            make_version(visit)
            end(visit, VisitOutcome.CAPTURED, reason)
    leftovers.tidy(visit)


def _trouble_of(visit: Visit, reason: str) -> tuple[VisitOutcome, str]:
    """Not one page was to be had. `reason`: which budget was used up, if one was."""
    for entry in visit.pages.filter(role=PageRole.ENTRY).order_by("pk"):
        if trouble := trouble_of(entry):
            return trouble, reason_of(entry)
    if visit.pages.filter(_EXPECTED, state=PageState.LEFT, reason=NO_MORE_BUDGET).exists():
        return VisitOutcome.EXHAUSTED, reason or NO_MORE_BUDGET
    return VisitOutcome.DOWN, "nothing but redirects"


def end_early(visit: Visit, reason: str) -> None:
    """At its budget, a capture keeps what it has."""
    _stop_requests(visit)
    close(visit, reason)


def end_unanswered(visit: Visit) -> None:
    """A probe that nobody answered while there was time."""
    _stop_requests(visit)
    end(visit, VisitOutcome.EXHAUSTED, NO_ANSWER)


def cancel(visit: Visit) -> None:
    _stop_requests(visit)
    end(visit, VisitOutcome.CANCELLED)
    leftovers.tidy(visit)


def _stop_requests(visit: Visit) -> None:
    """What waits ends now; what a node is fetching is answered to nobody."""
    for batch in Batch.objects.filter(_batches_of(visit)):
        cancel_batch(batch_id=batch.pk)


def _batches_of(visit: Visit) -> Q:
    return Q(purpose__in=[PROBE, VISIT]) & (Q(owner=str(visit.pk)) | Q(owner__startswith=f"{visit.pk}/"))


_ENDED_FIELDS = (
    "state",
    "outcome",
    "reason",
    "ended_at",
    "requests",
    "size_bytes",
    "failures",
    "cut_off",
    "pages_bytes",
    "pages_meaning",
)


def end(visit: Visit, outcome: VisitOutcome, reason: str = "") -> None:
    """Only a version keeps its pages; of other visits their row stays, with the counts."""
    with transaction.atomic():
        if outcome != VisitOutcome.CAPTURED:
            _count_failures(visit)
            visit.requests = visit.pages.exclude(state=PageState.LEFT).count() + visit.looks.count()
            visit.pages.all().delete()
        visit.state, visit.outcome, visit.reason = VisitState.ENDED, outcome, reason[:300]
        visit.ended_at = timezone.now()
        visit.save(update_fields=_ENDED_FIELDS)
        planning.plan_next(visit, outcome)


def _count_failures(visit: Visit) -> None:
    visit.failures = visit.pages.filter(FAILED).count()
    visit.cut_off = visit.pages.exclude(capture__truncated="").filter(capture__isnull=False).count()


def forget_requests() -> None:
    """The batches of ended visits, once no node can bring anything of them any more."""
    under_way = set(Visit.objects.exclude(state=VisitState.ENDED).values_list("pk", flat=True))
    batches = Batch.objects.filter(purpose__in=[PROBE, VISIT])
    forget_batches([batch.pk for batch in batches if visit_of(batch) not in under_way])
