"""The worker role: takes jobs from the queue, a few at a time, until told to stop."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal

from ronda.configuration import Configuration
from ronda.jobs.worker_state import WorkerState
from ronda.supervision.child import BEAT_SECONDS, Child

logger = logging.getLogger(__name__)

CONCURRENCY = 4
# Time for running jobs to reach their next progress call and be put back.
GRACE_SECONDS = 8


def run(child: Child, configuration: Configuration) -> None:
    import django

    django.setup()
    # What was loaded by now stays: the collector need not look through all of it again and again.
    gc.freeze()
    asyncio.run(_work(child))


async def _work(child: Child) -> None:
    from procrastinate.contrib.django import app

    state = WorkerState(name=child.full_name)
    worker_app = app.with_connector(app.connector.get_worker_connector())  # type: ignore[attr-defined]
    loop = asyncio.get_running_loop()
    async with worker_app.open_async():
        working = asyncio.create_task(
            worker_app.run_worker_async(
                name=child.full_name,
                concurrency=CONCURRENCY,
                install_signal_handlers=False,
                shutdown_graceful_timeout=GRACE_SECONDS,
                update_heartbeat_interval=BEAT_SECONDS,
                fetch_job_polling_interval=2.0,
                additional_context={"state": state},
            )
        )
        for how in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(how, _stop, state, working)
        beating = asyncio.create_task(_beat_for_jobs(state))
        while not working.done():
            # Beats come from the loop the jobs are taken on: if that hangs, so do they, and we are restarted.
            child.beat(state.sentence)
            await asyncio.wait([working], timeout=1)
        beating.cancel()
        if not working.cancelled():
            working.result()


async def _beat_for_jobs(state: WorkerState) -> None:
    """Tell the database which jobs are in hand, until cancelled; while it is away, nobody can be told."""
    from django.db import DatabaseError, connection

    from ronda.jobs.services import note_life

    def beat() -> None:
        try:
            note_life(list(state.current), state.name)
        except DatabaseError as error:
            logger.debug("cannot beat for jobs: %s", error)
        finally:
            connection.close()

    while True:
        await asyncio.sleep(BEAT_SECONDS)
        if state.current:
            await asyncio.to_thread(beat)


def _stop(state: WorkerState, working: asyncio.Task[None]) -> None:
    state.stopping.set()
    working.cancel()
