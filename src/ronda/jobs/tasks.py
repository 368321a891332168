"""The one task in Procrastinate's queue: run a job of ours."""

from __future__ import annotations

import uuid

from procrastinate import JobContext
from procrastinate.contrib.django import app

from ronda.jobs import services
from ronda.jobs.worker_state import WorkerState


@app.task(name="ronda.run_job", pass_context=True)
def run_job(context: JobContext, *, job_id: str) -> None:
    state: WorkerState = context.additional_context["state"]
    with state.doing(job_id):
        services.run(job_id=uuid.UUID(job_id), worker=state.name, stopping=state.stopping)
