"""A running job's hold on its row: progress, checkpoints, and the questions "shall I stop?" and "is it still mine?"."""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any

from django.db.models import QuerySet

from ronda.jobs.errors import JobCancelled, JobInterrupted, JobLost
from ronda.jobs.foreign_text import storable
from ronda.jobs.models import Job, State

# People look once a second; a write for every one of a million rows would be the slowest part of the job.
PROGRESS_GRAIN_SECONDS = 0.5


class JobRun:
    """Handed to a kind's work. Call `progress` often: it is also where cancelling takes effect."""

    def __init__(self, job: Job, stopping: threading.Event) -> None:
        self.job_id: uuid.UUID = job.id
        self.owner_id: int | None = job.owner_id
        self.attempt: int = job.attempt
        self.last_checkpoint: dict[str, Any] | None = job.checkpoint
        self._stopping = stopping
        self._written_at = 0.0

    def progress(self, done: int, total: int | None, sentence: str) -> None:
        """Say how far the work is. Raises a JobStop when it has to end here.

        `sentence` is a translatable template, like gettext_noop("{done:,} of {total:,} revisions").
        """
        if self._stopping.is_set():
            raise JobInterrupted()
        if time.monotonic() - self._written_at < PROGRESS_GRAIN_SECONDS and done != total:
            return
        self._written_at = time.monotonic()
        self._write(done=done, total=total, sentence=sentence)
        if self._mine().filter(cancel_requested_at__isnull=False).exists():
            raise JobCancelled()

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Keep `state`: the next worker starts from it. Inside a transaction it commits with the work it describes."""
        # It got somewhere: losing a worker from here on is not the same trouble again.
        self._write(checkpoint=storable(state), losses=0)
        self.last_checkpoint = state

    def wait(self, seconds: float) -> None:
        """Sleep, but not past a shutdown."""
        if self._stopping.wait(seconds):
            raise JobInterrupted()

    def _mine(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job_id, attempt=self.attempt, state=State.RUNNING)

    def _write(self, **values: Any) -> None:
        if not self._mine().update(**values):
            raise JobLost()
