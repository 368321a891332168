"""Jobs done at once, in the test's own transaction: what a worker would do."""

from __future__ import annotations

import threading

from ronda.jobs import services
from ronda.jobs.models import OPEN_STATES, Job


def work_off() -> list[Job]:
    """Runs every open job, oldest first; returns them as they ended."""
    done = []
    for job in Job.objects.filter(state__in=OPEN_STATES).order_by("created_at"):
        services.run(job_id=job.pk, worker="test", stopping=threading.Event())
        done.append(Job.objects.get(pk=job.pk))
    return done
