"""What the leader does for jobs."""

from __future__ import annotations

from ronda.jobs import services
from ronda.jobs.policies import KEEP_DAYS
from ronda.policies.queries import value_of
from ronda.supervision.duties import duty


@duty(every_seconds=3)
def rescue_abandoned_jobs() -> None:
    services.rescue_abandoned_jobs()


@duty(every_seconds=3600)
def delete_old_jobs() -> None:
    services.delete_old_jobs(older_than_days=int(value_of(KEEP_DAYS)))
