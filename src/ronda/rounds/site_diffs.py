"""Comparing two versions of a source: what is there and what is gone at once, how much each page changed by and by."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict
from typing import Annotated, Any

from django.db import connection, transaction
from django.db.models import Case, F, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.roles import Role
from ronda.change.pages import compare
from ronda.change.rules import Ignoring
from ronda.change.scoring import Weights
from ronda.database.named_sql import named_sql
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.rounds import weighing
from ronda.rounds.diff_models import DiffState, PageDiff, PageFate, VersionDiff
from ronda.rounds.models import PageRole, Version
from ronda.rounds.noise_learning import ignoring_of
from ronda.rounds.page_states import page_of
from ronda.rounds.selecting import BUDGETS

logger = logging.getLogger(__name__)

PROGRESS = gettext_noop("{done:,} of {total:,} pages")
# Pages that are read and ranked; of a site that changed wholly the rest is listed without a share.
MOST_READ = 2_000
PIECE = 20
# What people read comes before what it is made of.
_READ_FIRST = Case(
    When(role=PageRole.ENTRY, then=Value(0)), When(role=PageRole.PAGE, then=Value(1)), default=Value(2)
)


class CompareVersionsArguments(Arguments):
    diff_id: Annotated[int, Field(title=gettext_noop("Comparison"))]


def diff_between(before: Version | None, after: Version) -> VersionDiff:
    """The comparison of two versions; made, and its pages put in the queue to be read, when first asked for."""
    found = VersionDiff.objects.filter(before=before, after=after).first()
    if found:
        return found
    with transaction.atomic():
        diff, is_new = VersionDiff.objects.get_or_create(before=before, after=after)
        if is_new:
            _fill(diff)
    return diff


def _fill(diff: VersionDiff) -> None:
    if diff.before is None:
        diff.added, diff.state = diff.after.documents, DiffState.DONE
    else:
        arguments: dict[str, Any] = {
            "before": diff.before.visit_id,
            "after": diff.after.visit_id,
            "source": diff.after.source_id,
            "budgets": list(BUDGETS),
            "diff": diff.pk,
        }
        with connection.cursor() as cursor:
            cursor.execute(named_sql("ronda.rounds", "fill_diff"), arguments)
            fates: Counter[str] = Counter(dict(cursor.fetchall()))
        for name in ("unchanged", "added", "removed", "changed", "failed", "missed"):
            setattr(diff, name, fates[name])
        is_read = diff.changed or diff.added or diff.removed
        diff.state = DiffState.COMPARING if is_read else DiffState.DONE
    diff.save()
    if diff.is_done:
        weighing.weigh(diff)
    else:
        enqueue(kind=COMPARE_VERSIONS, owner=None, arguments={"diff_id": diff.pk})


def _unread(diff: VersionDiff) -> QuerySet[PageDiff]:
    return (
        diff.pages.filter(fate=PageFate.CHANGED, share=None)
        .exclude(reason=UNREADABLE)
        .select_related(
            "capture_before__file",
            "capture_before__refers_to__file",
            "capture_after__file",
            "capture_after__refers_to__file",
        )
        .order_by(_READ_FIRST, "pk")
    )


UNREADABLE = gettext_noop("what was kept of it cannot be read here")


def _compare(run: JobRun, arguments: CompareVersionsArguments) -> dict[str, Any] | None:
    diff = VersionDiff.objects.filter(pk=arguments.diff_id).first()
    if diff is None:
        return None  # forgotten meanwhile
    total = min(diff.changed, MOST_READ)
    ignoring, weights = ignoring_of(diff.after.source), weighing.weights_now()
    while diff.compared < total and (piece := list(_unread(diff)[:PIECE])):
        for page in piece:
            _rank(page, ignoring, weights)
        with transaction.atomic():
            PageDiff.objects.bulk_update(piece, ["share", "counts", "reason", *weighing.SCORED])
            diff.compared += len(piece)
            diff.save(update_fields=["compared"])
        run.progress(diff.compared, total, PROGRESS)
    with transaction.atomic():
        VersionDiff.objects.filter(pk=diff.pk).update(state=DiffState.DONE)
        weighing.weigh(diff)
    return {"pages": diff.compared}


def _rank(page: PageDiff, ignoring: Ignoring, weights: Weights) -> None:
    if page.capture_before is None or page.capture_after is None:
        page.reason = UNREADABLE
        return
    try:
        before, after = page_of(page.capture_before), page_of(page.capture_after)
        change = compare(before, after)
    except (OSError, EOFError) as error:
        logger.warning("cannot compare %s: %s", page.url, error)
        page.reason = UNREADABLE
        return
    weighing.score_page(page, before, after, ignoring, weights)
    page.share = change.share
    page.counts = {name: number for name, number in asdict(change.counts).items() if number}


def ranked(diff: VersionDiff) -> QuerySet[PageDiff]:
    """Pages before what they are made of, changed ones first, most changed first."""
    fates = Case(
        *(When(fate=fate, then=Value(rank)) for rank, fate in enumerate(PageFate.values)), default=Value(9)
    )
    is_part = Case(When(role=PageRole.REQUISITE, then=Value(1)), default=Value(0))
    return diff.pages.order_by(is_part, fates, F("share").desc(nulls_last=True), "url")


COMPARE_VERSIONS = register(
    JobKind(
        name="compare_versions",
        title=_("Compare two versions of a source"),
        arguments=CompareVersionsArguments,
        role=Role.ADMINISTRATOR,
        work=_compare,
    )
)
