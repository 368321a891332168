"""A worker that does one job in a process of its own and may be killed at any moment; whoever comes next goes on."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

from tests.wiki.hostile_proxy import HostileProxy

# Between two questions there is a commit, or the end of an answer: the kill hits before, in and after it.
LONGEST_PAUSE_SECONDS = 0.1


def killed_after(
    job_id: uuid.UUID, environment: dict[str, str], proxy: HostileProxy, questions: int, chance: random.Random
) -> bool:
    """kill -9 once so many questions were asked. Returns False if it was done before."""
    wanted = proxy.asked + questions
    worker = _start(job_id, environment)
    while worker.poll() is None:
        if proxy.wait_until_asked(wanted, seconds=0.1):
            time.sleep(chance.uniform(0, LONGEST_PAUSE_SECONDS))
            worker.kill()
            return worker.wait() != 0
    assert worker.returncode == 0
    return False


def done(job_id: uuid.UUID, environment: dict[str, str]) -> None:
    """The job, by a worker that nobody kills."""
    assert _start(job_id, environment).wait() == 0


def _start(job_id: uuid.UUID, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.wiki.mortal_worker", str(job_id)],
        env={**os.environ, **environment, "DJANGO_SETTINGS_MODULE": "ronda.site.settings"},
        cwd=Path(__file__).parents[2],
    )


if __name__ == "__main__":
    import django

    django.setup()
    from ronda.jobs.services import run

    run(job_id=uuid.UUID(sys.argv[1]), worker="mortal", stopping=threading.Event())
