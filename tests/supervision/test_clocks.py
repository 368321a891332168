"""Who leads and what lives is judged by the database's clock, whatever this machine's says."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from ronda.jobs import services as jobs
from ronda.jobs.kinds import kind_named
from ronda.jobs.models import Job, State
from ronda.supervision.models import Leadership, Process
from ronda.supervision.queries import current_leader, reported_processes


@pytest.fixture(params=[-3600, 3600], ids=["an hour behind", "an hour ahead"])
def _wrong_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now

    def wrong() -> datetime:
        return now() + timedelta(seconds=request.param)

    monkeypatch.setattr(timezone, "now", wrong)


@pytest.mark.usefixtures("_wrong_clock")
def test_a_wrong_clock_changes_nobody_s_life(client: Client, db: None) -> None:
    here = {"instance": uuid.uuid4(), "machine": "here"}
    Leadership.objects.create(**here, pid=1, since=Now(), beat_at=Now())
    Process.objects.create(**here, name="web-1", role="web", state="running", version="1", reported_at=Now())
    gone = Process.objects.create(
        **here,
        name="web-2",
        role="web",
        state="running",
        version="1",
        reported_at=Now() - timedelta(seconds=30),
    )
    assert current_leader() is not None
    assert [process.name for process in reported_processes()] == ["web-1"]
    assert Process.objects.get(name="web-1").is_alive
    assert Process.objects.get(pk=gone.pk).is_silent
    health = client.get("/healthz").json()
    assert (health["status"], len(health["processes"])) == ("ok", 1)
    Leadership.objects.update(beat_at=Now() - timedelta(seconds=30))
    assert current_leader() is None


@pytest.mark.usefixtures("_wrong_clock")
def test_a_job_in_hand_is_not_taken_away_for_a_wrong_clock(db: None) -> None:
    job = jobs.enqueue(kind=kind_named("drill"), owner=None, arguments={})
    taken = jobs._take(job.pk, "worker-1@here")
    assert taken
    jobs.note_life([str(job.pk)], "worker-1@here")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = %s", [job.queue_id])
    assert jobs.rescue_abandoned_jobs() == 0
    Job.objects.update(beat_at=Now() - timedelta(seconds=30))
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_events SET at = at - interval '1 minute'")
    assert jobs.rescue_abandoned_jobs() == 1
    assert Job.objects.get().state == State.QUEUED
