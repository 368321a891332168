"""Runs: jobs that answer a session's questions, over what has arrived so far or, once it is closed, over all of it."""

from __future__ import annotations

import time
import uuid
from contextlib import closing
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ronda.accounts.roles import Role
from ronda.analysis import answering, images, segments
from ronda.analysis.models import AnswerRow, Run, Session, SessionState
from ronda.analysis.snapshots import Snapshot, snapshot_of
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue, request_cancel

PROGRESS = gettext_noop("{done:,} of {total:,} questions answered")


class RunArguments(Arguments):
    session: uuid.UUID
    is_final: bool


def open_runs(session: Session) -> QuerySet[Run]:
    return Run.objects.filter(session=session, job__state__in=OPEN_STATES)


def start(session: Session, *, is_final: bool) -> Job:
    """In the transaction of whoever makes it due. A live run gives way to the final one."""
    if is_final:
        request_cancel(open_runs(session).filter(is_final=False).values_list("job_id", flat=True))
    arguments = {"session": str(session.pk), "is_final": is_final}
    job = enqueue(kind=ANSWER, owner=session.owner, arguments=arguments)
    Run.objects.create(session=session, job=job, is_final=is_final)
    return job


def _answer(run: JobRun, arguments: RunArguments) -> dict[str, Any]:
    session = Session.objects.filter(pk=arguments.session).first()
    if session is None or not session.is_stored:
        return {"answered": 0}
    return _answer_finally(run, session) if arguments.is_final else _answer_so_far(run, session)


def _answer_so_far(run: JobRun, session: Session) -> dict[str, Any]:
    from ronda.analysis import live  # it begins runs

    began = time.monotonic()
    seen = snapshot_of(session)
    rows = [row for row in _unanswered(session) if seen.has_all(row.question)]
    with closing(answering.engine_of(session, seen)) as engine:
        for number, row in enumerate(rows):
            tell = partial(run.progress, number, len(rows), PROGRESS)
            answering.answer(engine, row, seen, is_complete=False, tell=tell)
            run.progress(number + 1, len(rows), PROGRESS)
    live.note_end(session.pk, rows=seen.rows, seconds=time.monotonic() - began)
    return {"answered": len(rows)}


def _answer_finally(run: JobRun, session: Session) -> dict[str, Any]:
    """Question by question, until none is left: what an earlier worker has answered is left out."""
    seen: Snapshot = snapshot_of(session)
    answered = 0
    with closing(answering.engine_of(session, seen)) as engine:
        while True:
            row = _unanswered(session).first()
            if row is None and _finish(session):
                return {"answered": answered}
            if row is None:
                continue
            tell = partial(run.progress, answered, session.answers.count(), PROGRESS)
            answering.answer(engine, row, seen, is_complete=True, tell=tell)
            images.fetch_image(row)
            answered += 1
            run.progress(answered, session.answers.count(), PROGRESS)


def _unanswered(session: Session) -> QuerySet[AnswerRow]:
    return AnswerRow.objects.filter(session=session, is_complete=False).order_by("pk")


def _finish(session: Session) -> bool:
    """Under the lock that whoever asks another question takes: none is overlooked."""
    with transaction.atomic():
        held = Session.objects.select_for_update().filter(pk=session.pk).first()
        if held is None or not held.is_stored:
            return True
        if AnswerRow.objects.filter(session=session, is_complete=False).exists():
            return False
        held.state = SessionState.ANSWERED
        held.answered_at = held.answered_at or timezone.now()
        held.save(update_fields=["state", "answered_at"])
    segments.remove_incoming(session.pk)
    return True


ANSWER = register(
    JobKind(
        name="answer_session",
        title=_("Answer the questions of a session"),
        arguments=RunArguments,
        # Nobody starts it by hand: it belongs to a session.
        role=Role.ADMINISTRATOR,
        work=_answer,
    )
)
