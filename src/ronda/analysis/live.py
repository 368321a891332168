"""When questions are answered again while data arrives: when it grew enough, and for a small share of the time."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Now
from django.utils import timezone

from ronda.analysis import runs
from ronda.analysis.models import Batch, Session, SessionState
from ronda.analysis.policies import LIVE_PERCENT
from ronda.policies.queries import value_of

# An answer over hardly more rows says hardly more.
GROWTH = 1.2
LEAST_PAUSE_SECONDS = 1.0


def consider(session_id: uuid.UUID) -> None:
    """Begin a live run, if it is time for one. Asked after every batch: most of the time it is not."""
    percent = int(value_of(LIVE_PERCENT))
    if not percent:
        return
    with transaction.atomic():
        session = (
            Session.objects.select_for_update(skip_locked=True, no_key=True)
            .filter(pk=session_id, state=SessionState.OPEN, is_live=True, live_due_at__lte=Now())
            .first()
        )
        if session is None or runs.open_runs(session).exists():
            return
        rows = Batch.objects.filter(session=session).aggregate(total=Sum("rows"))["total"] or 0
        if rows < max(1, session.live_rows * GROWTH):
            return
        runs.start(session, is_final=False)


def note_end(session_id: uuid.UUID, *, rows: int, seconds: float) -> None:
    """A live run over `rows` took so long: the next one waits until that is its share of the time."""
    percent = max(1, int(value_of(LIVE_PERCENT)))
    pause = max(LEAST_PAUSE_SECONDS, seconds * (100 / percent - 1))
    due_at = timezone.now() + timedelta(seconds=pause)
    Session.objects.filter(pk=session_id).update(live_rows=rows, live_due_at=due_at)


def consider_all() -> None:
    """Sessions to which nothing was added since it was time: nobody else would ask."""
    due = Session.objects.filter(state=SessionState.OPEN, is_live=True, live_due_at__lte=Now())
    for session_id in due.values_list("pk", flat=True):
        consider(session_id)
