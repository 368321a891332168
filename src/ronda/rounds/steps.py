"""A visit goes on step by step, each short and one transaction: whoever dies between two, another goes on.

A step is pushed when answers come; the leader finds what was lost. One worker at a time has a visit in hand.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import connection
from django.db.models import DateTimeField, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from ronda.rounds import capturing, closing, probing, pushing
from ronda.rounds.models import PageState, Visit, VisitOutcome, VisitPage, VisitState
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
    while ready_visits().filter(pk=visit_id).exists():
        with _in_hand(visit_id) as is_mine:
            if not is_mine:
                return  # whoever has it looks again after letting go
            _step(visit_id)
        if time.monotonic() > deadline:
            pushing.push(visit_id)
            return


def ready_visits() -> QuerySet[Visit]:
    """Open visits that wait for a worker: answers to read, nothing left to wait for, cancelled, or out of time."""
    waits = Exists(OPEN_PAGES.filter(state=PageState.QUEUED))
    answered = Exists(OPEN_PAGES.filter(state=PageState.ANSWERED))
    is_capturing = Q(state=VisitState.CAPTURING)
    return (
        Visit.objects.exclude(state=VisitState.ENDED)
        .annotate(ends_at=TIME_BUDGET_ENDS)
        .filter(
            Q(is_to_be_cancelled=True) | Q(ends_at__lt=timezone.now()) | ~waits | (is_capturing & answered)
        )
    )


def push_ready_visits() -> None:
    """What a crash took out of the queue, and what time alone makes due."""
    for visit_id in ready_visits().values_list("pk", flat=True):
        pushing.push(visit_id)


def _step(visit_id: int) -> None:
    visit = Visit.objects.select_related("source__collection").get(pk=visit_id)
    if visit.state == VisitState.ENDED:
        return
    try:
        if visit.is_to_be_cancelled:
            closing.cancel(visit)
        elif visit.state == VisitState.PROBING:
            probing.go_on(visit)
        else:
            capturing.go_on(visit)
    except UrlRefused as refusal:  # its own URL, under settings that have changed since
        closing.end(visit, VisitOutcome.REFUSED, str(refusal))


@contextmanager
def _in_hand(visit_id: int) -> Iterator[bool]:
    """PostgreSQL lets go of it when the worker dies, however it does."""
    name = f"ronda.rounds.visit {visit_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        is_mine = bool(cursor.fetchone()[0])
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])
