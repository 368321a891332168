"""How a session ends: deleted, given up by its client, or grown old. Every step may be cut off and done again."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from ronda.analysis import segments
from ronda.analysis.models import AnswerState, Run, Session, SessionState
from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.services import forget_jobs, request_cancel

logger = logging.getLogger(__name__)


def begin_to_end(session_id: uuid.UUID, among: QuerySet[Session] | None = None) -> None:
    """From here on nobody sees it, nothing is added to it, and its runs stop. `among`: only if it still is."""
    with transaction.atomic():
        rows = Session.objects.all() if among is None else among
        session = rows.select_for_update().filter(pk=session_id).first()
        if session is None:
            return
        session.state = SessionState.ENDING
        session.save(update_fields=["state"])
        request_cancel(Run.objects.filter(session=session).values_list("job_id", flat=True))


def finish_ending(session_id: uuid.UUID) -> bool:
    """Files first, rows last: as long as a file may be there, there is a row to find it by."""
    if not Session.objects.filter(pk=session_id, state=SessionState.ENDING).exists():
        return True
    jobs = list(Run.objects.filter(session=session_id).values_list("job_id", flat=True))
    if Job.objects.filter(pk__in=jobs, state__in=OPEN_STATES).exists():
        return False
    segments.remove(session_id)
    with transaction.atomic():
        Session.objects.filter(pk=session_id, state=SessionState.ENDING).delete()
        forget_jobs(jobs)
    # Of a writer that had not heard of it.
    segments.remove(session_id)
    logger.info("session %s has ended", session_id)
    return True


def finish_all() -> None:
    for session_id in Session.objects.filter(state=SessionState.ENDING).values_list("pk", flat=True):
        finish_ending(session_id)


def silent_sessions(grace_seconds: float) -> QuerySet[Session]:
    return Session.objects.filter(
        state=SessionState.OPEN, heartbeat_at__lt=Now() - timedelta(seconds=grace_seconds)
    )


def expire(*, keep_hours: int, answer_days: int) -> None:
    """Of sessions that were answered: first their tables go, later their answers."""
    old = Q(answered_at__lt=Now() - timedelta(hours=keep_hours))
    for session_id in Session.objects.filter(old, state=SessionState.ANSWERED).values_list("pk", flat=True):
        _delete_data(session_id)
    older = Q(answered_at__lt=Now() - timedelta(hours=keep_hours, days=answer_days))
    for session_id in Session.objects.filter(older, state=SessionState.EXPIRED).values_list("pk", flat=True):
        begin_to_end(session_id)


def _delete_data(session_id: uuid.UUID) -> None:
    """Files while it still counts as stored: cut off in between, it is done again. A run in hand is waited for."""
    with transaction.atomic():
        session = (
            Session.objects.select_for_update().filter(pk=session_id, state=SessionState.ANSWERED).first()
        )
        open_jobs = Job.objects.filter(
            pk__in=Run.objects.filter(session=session_id).values("job"), state__in=OPEN_STATES
        )
        if session is None or open_jobs.exists():
            return
        session.state = SessionState.EXPIRED
        session.save(update_fields=["state"])
        session.batches.update(segment_bytes=0)
        segments.remove(session_id)


def sweep() -> int:
    """Folders of sessions that have no row: what a process left that was killed at the wrong moment."""
    present = segments.folders()
    known = set(
        Session.objects.filter(pk__in=present)
        .exclude(state=SessionState.EXPIRED)
        .values_list("pk", flat=True)
    )
    return segments.remove_strangers(known, present)


def give_up_answering() -> None:
    """A final run that ended without its answers (it killed its workers, or somebody cancelled it): say so."""
    open_runs = Run.objects.filter(is_final=True, job__state__in=OPEN_STATES)
    stuck = Session.objects.filter(state=SessionState.ANSWERING).exclude(pk__in=open_runs.values("session"))
    for session_id in list(stuck.values_list("pk", flat=True)):
        with transaction.atomic():
            session = stuck.select_for_update().filter(pk=session_id).first()
            last = Run.objects.filter(session=session_id, is_final=True).order_by("-pk").first()
            if session is None or last is None:
                continue
            why = last.job.error or "The run that was to answer it was cancelled."
            session.answers.filter(is_complete=False).update(
                state=AnswerState.FAILED, error=why, is_complete=True, answered_at=timezone.now()
            )
            session.state, session.answered_at = SessionState.ANSWERED, timezone.now()
            session.save(update_fields=["state", "answered_at"])
