"""A visit goes on step by step, each short and one transaction: whoever dies between two, another goes on.

A step is pushed when answers come; the leader finds what was lost. One worker at a time has a visit in hand.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from ronda.database.named_sql import named_sql
from ronda.rounds import capturing, closing, probing, pushing
from ronda.rounds.models import PageState, Visit, VisitOutcome, VisitPage, VisitState
from ronda.rounds.steps_here import MOST_PAGES
from ronda.rounds.visitors import BY_ITS_PAGES
from ronda_node.errors import UrlRefused

# After so long another visit has its turn.
TURN_SECONDS = 2.0
OPEN_PAGES = VisitPage.objects.filter(visit=OuterRef("pk"))
TIME_BUDGET_ENDS = ExpressionWrapper(
    Coalesce("capture_began_at", "opened_at") + F("source__max_seconds") * Value(timedelta(seconds=1)),
    output_field=DateTimeField(),
)


def go_on(visit_id: int) -> None:
    """As long as there is something to do, but not longer than a turn."""
    deadline = time.monotonic() + TURN_SECONDS
    while _is_ready(visit_id):
        if time.monotonic() > deadline:
            pushing.push(visit_id)
            return
        if not _take_step(visit_id):
            return  # whoever has it looks again after letting go


def go_on_here(visit_id: int) -> None:
    """In the web process, where others wait meanwhile: one small step. What is ready then is for a worker."""
    if _is_ready(visit_id) and _take_step(visit_id, MOST_PAGES) and _is_ready(visit_id):
        pushing.push(visit_id)


def _take_step(visit_id: int, most_pages: int = capturing.PAGES_A_STEP) -> bool:
    """Whether nobody else has the visit in hand."""
    with _in_hand(visit_id) as is_mine:
        if is_mine:
            _step(visit_id, most_pages)
        return is_mine


def _is_ready(visit_id: int) -> bool:
    """The same as below of one visit, as it is asked before and after every step.

    By the clock that steps go by: were there two, a visit could be out of time for this one and not for them.
    """
    asked: dict[str, int | str | datetime] = {
        "visit": visit_id,
        "visitor": BY_ITS_PAGES,
        "now": timezone.now(),
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "is_ready"), asked)
        return bool(cursor.fetchone()[0])


def ready_visits() -> QuerySet[Visit]:
    """Open visits that wait for a worker: answers to read, nothing left to wait for, cancelled, or out of time."""
    waits = Exists(OPEN_PAGES.filter(state=PageState.QUEUED))
    answered = Exists(OPEN_PAGES.filter(state=PageState.ANSWERED))
    is_capturing = Q(state=VisitState.CAPTURING)
    return (
        Visit.objects.exclude(state=VisitState.ENDED)
        .filter(source__visitor=BY_ITS_PAGES)
        .annotate(ends_at=TIME_BUDGET_ENDS)
        .filter(
            Q(is_to_be_cancelled=True) | Q(ends_at__lt=timezone.now()) | ~waits | (is_capturing & answered)
        )
    )


def push_ready_visits() -> None:
    """What a crash took out of the queue, and what time alone makes due."""
    for visit_id in ready_visits().values_list("pk", flat=True):
        pushing.push(visit_id)


def _step(visit_id: int, most_pages: int) -> None:
    visit = Visit.objects.select_related("source__collection").get(pk=visit_id)
    if visit.state == VisitState.ENDED:
        return
    try:
        if visit.is_to_be_cancelled:
            closing.cancel(visit)
        elif visit.state == VisitState.PROBING:
            probing.go_on(visit)
        else:
            capturing.go_on(visit, most_pages)
    except UrlRefused as refusal:  # its own URL, under settings that have changed since
        closing.end(visit, VisitOutcome.REFUSED, str(refusal))


@contextmanager
def _in_hand(visit_id: int) -> Iterator[bool]:
    """PostgreSQL lets go of it when the worker dies, however it does.

    Steps do not wait for the disk. If PostgreSQL crashes, the last may be undone, and is done again; whoever is told
    anything that rests on it is told after a commit that waits, and what stands before that in the log is safe with it.
    """
    name = f"ronda.rounds.visit {visit_id}"
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "take_in_hand"), {"name": name})
        is_mine, waits = cursor.fetchone()
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute(named_sql("ronda.rounds", "let_go"), {"name": name, "waits": waits})
