"""Jobs without a worker process: states, fencing, cancelling, rescue."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from ronda.accounts.roles import Role
from ronda.errors import Forbidden, InvalidInput, NotAuthenticated
from ronda.jobs import kinds, queries, services
from ronda.jobs.errors import JobEnded, JobLost, NoSuchJob
from ronda.jobs.kinds import Arguments, JobKind
from ronda.jobs.models import Job, State
from ronda.jobs.run import JobRun
from tests.people import person_with

pytestmark = pytest.mark.django_db


class NoArguments(Arguments):
    pass


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """A kind `test` that does what the test puts in the list."""
    work: list[Any] = []
    made = JobKind("test", "Test", NoArguments, Role.CLIENT, lambda run, arguments: work[0](run))  # type: ignore[no-any-return]
    monkeypatch.setitem(kinds._kinds, "test", made)
    return work


def _start() -> Job:
    return services.start_job(actor=person_with(Role.CLIENT), kind="test", arguments={})


def _run(job: Job, stopping: threading.Event | None = None) -> Job:
    services.run(job_id=job.id, worker="worker-1", stopping=stopping or threading.Event())
    return Job.objects.get(pk=job.pk)


def test_success_failure_and_bug(kind: list[Any]) -> None:
    def fail(run: JobRun) -> None:
        raise InvalidInput("The page is gone.")

    def bug(run: JobRun) -> None:
        raise ZeroDivisionError("oh")

    job = _start()
    assert job.state == State.QUEUED
    kind[:] = [lambda run: {"pages": 3}]
    done = _run(job)
    assert (done.state, done.result, done.worker, done.attempt) == (
        State.SUCCEEDED,
        {"pages": 3},
        "worker-1",
        1,
    )
    assert done.ended_at >= done.started_at >= done.created_at
    owner = job.owner
    for work, words in ((fail, "The page is gone."), (bug, "ZeroDivisionError: oh")):
        kind[:] = [work]
        failed = _run(services.start_job(actor=owner, kind="test", arguments={}))
        assert (failed.state, failed.error) == (State.FAILED, words)


def test_no_statement_of_a_database_is_shown(kind: list[Any]) -> None:
    def ask_nonsense(run: JobRun) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT secret FROM nowhere")

    kind[:] = [ask_nonsense]
    failed = _run(_start())
    assert failed.state == State.FAILED
    assert "database" in failed.error
    assert "nowhere" not in failed.error


def test_text_that_cannot_be_stored_costs_no_job(kind: list[Any]) -> None:
    def bring(run: JobRun) -> dict[str, Any]:
        run.checkpoint({"seen": ["a\0b", {"\0": "\ud800"}]})
        return {"seen": ["a\0b"]}

    def refuse(run: JobRun) -> None:
        raise InvalidInput("It says a\0b.")

    kind[:] = [bring]
    done = _run(_start())
    assert (done.state, done.result) == (State.SUCCEEDED, {"seen": ["a\\x00b"]})
    assert done.checkpoint == {"seen": ["a\\x00b", {"\\x00": "\\ud800"}]}
    kind[:] = [refuse]
    assert _run(services.start_job(actor=done.owner, kind="test", arguments={})).error == "It says a\\x00b."


def test_ended_job_does_not_run_again(kind: list[Any]) -> None:
    kind[:] = [lambda run: {}]
    job = _run(_start())
    kind[:] = [lambda run: pytest.fail("ran twice")]
    assert _run(job).attempt == 1


def test_role_and_arguments_are_checked(kind: list[Any]) -> None:
    reader = person_with(Role.READER)
    with pytest.raises(Forbidden):
        services.start_job(actor=reader, kind="test", arguments={})
    with pytest.raises(NotAuthenticated):
        services.start_job(actor=None, kind="test", arguments={})
    client = person_with(Role.CLIENT, email="b@example.org")
    for name, arguments in (("test", {"speed": 3}), ("tset", {})):
        with pytest.raises(InvalidInput):
            services.start_job(actor=client, kind=name, arguments=arguments)
    assert not Job.objects.exists()


def test_cancel_before_and_while_running(kind: list[Any]) -> None:
    waiting = _start()
    assert services.cancel_job(actor=waiting.owner, job_id=waiting.id).state == State.CANCELLED
    kind[:] = [lambda run: pytest.fail("a cancelled job ran")]
    assert _run(waiting).state == State.CANCELLED

    running = services.start_job(actor=waiting.owner, kind="test", arguments={})

    def work(run: JobRun) -> None:
        run.progress(1, 10, "1 of 10")
        services.cancel_job(actor=running.owner, job_id=running.id)
        run.progress(10, 10, "10 of 10")
        pytest.fail("went on after being cancelled")

    kind[:] = [work]
    cancelled = _run(running)
    assert (cancelled.state, cancelled.done) == (State.CANCELLED, 10)
    assert services.cancel_job(actor=running.owner, job_id=running.id).state == State.CANCELLED


def test_ended_and_foreign_jobs_cannot_be_cancelled(kind: list[Any]) -> None:
    kind[:] = [lambda run: {}]
    job = _run(_start())
    with pytest.raises(JobEnded):
        services.cancel_job(actor=job.owner, job_id=job.id)
    stranger = person_with(Role.CLIENT, email="b@example.org")
    for call in (services.cancel_job, queries.job):
        with pytest.raises(NoSuchJob):
            call(actor=stranger, job_id=job.id)
        with pytest.raises(NoSuchJob):
            call(actor=stranger, job_id=uuid.uuid4())
    admin = person_with(Role.ADMINISTRATOR, email="c@example.org")
    assert queries.job(actor=admin, job_id=job.id) == job


def test_interrupted_job_is_put_back_with_its_checkpoint(kind: list[Any]) -> None:
    stopping = threading.Event()

    def first(run: JobRun) -> None:
        run.checkpoint({"page": 7})
        stopping.set()
        run.wait(60)

    kind[:] = [first]
    job = _run(_start(), stopping)
    assert (job.state, job.checkpoint) == (State.QUEUED, {"page": 7})
    kind[:] = [lambda run: run.last_checkpoint]
    assert _run(job).result == {"page": 7}


def test_lost_database_puts_the_job_back_and_does_not_fail_it(kind: list[Any]) -> None:
    def work(run: JobRun) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    kind[:] = [work]
    assert _run(_start()).state == State.QUEUED


def test_worker_that_lost_its_job_cannot_write(kind: list[Any]) -> None:
    job = _start()

    def work(run: JobRun) -> None:
        Job.objects.filter(pk=job.pk).update(attempt=2, worker="worker-2")  # another one took it meanwhile
        for write in (lambda: run.checkpoint({}), lambda: run.progress(1, 1, "")):
            with pytest.raises(JobLost):
                write()
        run.checkpoint({})

    kind[:] = [work]
    left = _run(job)
    assert (left.state, left.worker, left.checkpoint) == (State.RUNNING, "worker-2", None)


def _age(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(minutes=1))


SILENT = timedelta(seconds=services.WORKER_SILENCE_SECONDS + 5)


def _begin_turn(job: Job, ago: timedelta) -> None:
    """As a worker does that takes the turn: Procrastinate notes when."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = %s", [job.queue_id])
        cursor.execute(
            "UPDATE procrastinate_events SET at = now() - %s WHERE job_id = %s", [ago, job.queue_id]
        )


@pytest.mark.parametrize("fate", ["beats no more", "never taken", "turn failed", "turn gone"])
def test_abandoned_job_is_queued_again(kind: list[Any], fate: str) -> None:
    job = _start()
    _age(job)
    _begin_turn(job, SILENT)
    if fate != "never taken":
        Job.objects.filter(pk=job.pk).update(state=State.RUNNING, attempt=1, beat_at=timezone.now() - SILENT)
    with connection.cursor() as cursor:
        if fate == "turn failed":
            cursor.execute("UPDATE procrastinate_jobs SET status = 'failed' WHERE id = %s", [job.queue_id])
        if fate == "turn gone":
            cursor.execute("DELETE FROM procrastinate_jobs WHERE id = %s", [job.queue_id])
    assert services.rescue_abandoned_jobs() == 1
    rescued = Job.objects.get(pk=job.pk)
    assert (rescued.state, rescued.losses) == (State.QUEUED, 0 if fate == "never taken" else 1)
    assert rescued.queue_id != job.queue_id
    assert services.rescue_abandoned_jobs() == 0


def test_job_that_is_beaten_for_or_was_just_taken_is_left_alone(kind: list[Any]) -> None:
    job = _start()
    _age(job)
    _begin_turn(job, timedelta(seconds=1))
    assert services.rescue_abandoned_jobs() == 0
    _begin_turn(job, SILENT)
    Job.objects.filter(pk=job.pk).update(state=State.RUNNING, attempt=1, worker="worker-1")
    services.note_life([str(job.pk)], "another")
    assert services.rescue_abandoned_jobs() == 1
    Job.objects.filter(pk=job.pk).update(state=State.RUNNING, worker="worker-1")
    _begin_turn(Job.objects.get(pk=job.pk), SILENT)
    services.note_life([str(job.pk)], "worker-1")
    assert services.rescue_abandoned_jobs() == 0


def test_job_that_kills_its_workers_is_given_up(kind: list[Any]) -> None:
    kind[:] = [lambda run: pytest.fail("ran once more")]
    job = _start()
    Job.objects.filter(pk=job.pk).update(losses=services.MAX_LOSSES)
    given_up = _run(job)
    assert given_up.state == State.FAILED
    assert "its workers died" in given_up.error


def test_old_jobs_are_forgotten(kind: list[Any]) -> None:
    kind[:] = [lambda run: {}]
    job = _run(_start())
    assert services.delete_old_jobs(older_than_days=1) == 0
    Job.objects.filter(pk=job.pk).update(ended_at=timezone.now() - timedelta(days=2))
    assert services.delete_old_jobs(older_than_days=1) == 1
