"""Starting, cancelling, running and rescuing jobs."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Collection, Iterable
from typing import Any

import psycopg
from django.db import Error as DatabaseProblem
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from procrastinate.exceptions import ConnectorException

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.database.named_sql import named_sql
from ronda.errors import RondaError
from ronda.jobs.errors import JobCancelled, JobEnded, JobGivenUp, JobInterrupted, JobLost, NoSuchJob
from ronda.jobs.foreign_text import storable, storable_text
from ronda.jobs.kinds import JobKind, kind_named
from ronda.jobs.models import OPEN_STATES, Job, State
from ronda.jobs.queries import visible_jobs
from ronda.jobs.run import JobRun

logger = logging.getLogger(__name__)

# A worker beats every 3 s for each job it has in hand; after this long without a beat the job goes to another.
WORKER_SILENCE_SECONDS = 12
# How long a worker that lost the database tries to give a job back itself.
PUT_BACK_SECONDS = 6
# A job whose workers keep dying is most likely what kills them.
MAX_LOSSES = 5
DATABASE_TROUBLE = gettext_noop(
    "The database did not take what the job found. The log of the worker says why."
)


def start_job(*, actor: Person | None, kind: str, arguments: dict[str, Any]) -> Job:
    """A person starts a job of a kind they may start."""
    found = kind_named(kind)
    owner = require(actor, found.role)
    return enqueue(kind=found, owner=owner, arguments=arguments)


def enqueue(*, kind: JobKind, owner: Person | None, arguments: dict[str, Any]) -> Job:
    """The job and its place in the queue commit together: acknowledged means it will run."""
    parsed = kind.parse(arguments)
    with transaction.atomic():
        job = Job.objects.create(kind=kind.name, owner=owner, arguments=parsed.model_dump(mode="json"))
        _put_in_queue(job)
    return job


def _put_in_queue(job: Job) -> None:
    from ronda.jobs.tasks import run_job  # the queue's task calls back into this module

    try:
        job.queue_id = run_job.defer(job_id=str(job.id))
    except ConnectorException as error:  # the queue's word for a database that is gone
        raise OperationalError(str(error)) from error
    job.save(update_fields=["queue_id"])


def cancel_job(*, actor: Person | None, job_id: uuid.UUID) -> Job:
    """A queued job ends at once, a running one at its next step. Cancelling twice is the same as once."""
    person = require(actor)
    with transaction.atomic():
        job = visible_jobs(actor=person).select_for_update(of=("self",)).filter(pk=job_id).first()
        if job is None:
            raise NoSuchJob()
        if job.state == State.CANCELLED or job.is_cancelling:
            return job
        if not job.is_open:
            state = str(State(job.state).label).lower()
            raise JobEnded(gettext("The job has ended already (%(state)s).") % {"state": state})
        job.cancel_requested_at = timezone.now()
        if job.state == State.QUEUED:
            job.state = State.CANCELLED
            job.ended_at = job.cancel_requested_at
        job.save(update_fields=["cancel_requested_at", "state", "ended_at"])
    return job


def request_cancel(job_ids: Iterable[uuid.UUID]) -> None:
    """For rooms whose jobs end with what they are for: queued ones end at once, running ones at their next step."""
    now = timezone.now()
    jobs = Job.objects.filter(pk__in=list(job_ids), cancel_requested_at=None)
    jobs.filter(state=State.QUEUED).update(cancel_requested_at=now, state=State.CANCELLED, ended_at=now)
    jobs.filter(state=State.RUNNING).update(cancel_requested_at=now)


def forget_jobs(job_ids: Collection[uuid.UUID]) -> None:
    """Jobs that have ended, with their turns in the queue: of what they were for nothing is to be left."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.jobs", "forget"), {"ids": [str(one) for one in job_ids]})


def run(*, job_id: uuid.UUID, worker: str, stopping: threading.Event) -> None:
    """Take a job and do its work; called by the worker, once per turn in the queue."""
    job = _take(job_id, worker)
    if job is None:
        return
    logger.info("job %s (%s) starts, attempt %d", job.id, job.kind, job.attempt)
    try:
        if job.losses >= MAX_LOSSES:
            raise JobGivenUp()
        kind = kind_named(job.kind)
        result = kind.work(JobRun(job, stopping), kind.parse(job.arguments))
    except JobLost:
        logger.warning("job %s was taken over by another worker", job.id)
    except JobCancelled:
        _end(job, State.CANCELLED)
    except (JobInterrupted, OperationalError, InterfaceError) as reason:
        # Nothing is wrong with the job; should the database be gone too, the leader finds it later.
        logger.info("job %s is put back: %s", job.id, reason)
        _put_back(job)
    except RondaError as error:
        _end(job, State.FAILED, error=str(error))
    except Exception as error:
        logger.exception("job %s (%s) failed", job.id, job.kind)
        _end(job, State.FAILED, error=_words_for(error))
    else:
        _end(job, State.SUCCEEDED, result=result)


def _words_for(bug: Exception) -> str:
    """What a database says has its statements in it, and what they carry: that is for the log. Behind the first line
    DuckDB has them, too."""
    if isinstance(bug, (DatabaseProblem, psycopg.Error)):
        return DATABASE_TROUBLE
    return f"{type(bug).__name__}: {bug}".partition("\n")[0]


def _take(job_id: uuid.UUID, worker: str) -> Job | None:
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=job_id, state__in=OPEN_STATES).first()
        if job is None:
            return None  # cancelled or pruned while it stood in the queue
        if job.cancel_requested_at:
            job.state, job.ended_at = State.CANCELLED, timezone.now()
            job.save(update_fields=["state", "ended_at"])
            return None
        job.state = State.RUNNING
        job.attempt += 1
        job.worker = worker
        # By the database's clock, which the rescue goes by.
        job.beat_at = Now()
        job.started_at = job.started_at or timezone.now()
        job.save(update_fields=["state", "attempt", "worker", "beat_at", "started_at"])
    return job


def _end(job: Job, state: State, *, result: dict[str, Any] | None = None, error: str = "") -> None:
    ended = Job.objects.filter(pk=job.pk, attempt=job.attempt, state=State.RUNNING).update(
        state=state, result=storable(result), error=storable_text(error)[:4000], ended_at=timezone.now()
    )
    logger.info("job %s (%s) %s", job.id, job.kind, state.value if ended else "was taken over")


def _put_back(job: Job) -> None:
    """Queue it again, once the database is there; if that takes too long, the leader does it later."""
    deadline = time.monotonic() + PUT_BACK_SECONDS
    while True:
        try:
            with transaction.atomic():
                mine = Job.objects.filter(pk=job.pk, attempt=job.attempt, state=State.RUNNING)
                if mine.update(state=State.QUEUED, worker=""):
                    _put_in_queue(job)
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            connection.close()
            time.sleep(1)
        else:
            return


def note_life(job_ids: Collection[str], worker: str) -> None:
    """The worker still has these in hand."""
    Job.objects.filter(pk__in=job_ids, worker=worker, state=State.RUNNING).update(beat_at=Now())


def rescue_abandoned_jobs() -> int:
    """Queue again every open job that no living worker holds and that no queue row will bring back."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.jobs", "abandoned"), {"silence_seconds": WORKER_SILENCE_SECONDS})
        abandoned = [row[0] for row in cursor.fetchall()]
    rescued = 0
    for job_id in abandoned:
        with transaction.atomic():
            job = Job.objects.select_for_update().filter(pk=job_id, state__in=OPEN_STATES).first()
            if job is None:
                continue
            if job.state == State.RUNNING:
                job.losses += 1
                job.state, job.worker = State.QUEUED, ""
                job.save(update_fields=["losses", "state", "worker"])
            _put_in_queue(job)
        rescued += 1
        logger.warning("job %s (%s) lost its worker and is queued again", job.id, job.kind)
    return rescued


def delete_old_jobs(*, older_than_days: int) -> int:
    """Forget jobs that ended long ago, with their queue rows."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.jobs", "prune"), {"days": older_than_days})
        return int(cursor.rowcount)
