"""One question of a session, answered by an engine in a thread; whoever has the job in hand can stop it at once."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from django.conf import settings
from django.utils import timezone

from ronda.analysis import segments
from ronda.analysis.answer_bodies import body_of
from ronda.analysis.engines.choosing import engine_for
from ronda.analysis.engines.contract import Answer, Engine, Watch
from ronda.analysis.engines.duckdb_engine import DuckDBEngine, Means
from ronda.analysis.errors import TookTooLong
from ronda.analysis.models import AnswerRow, AnswerState, Session
from ronda.analysis.own_data import provide_ronda, reads_ronda
from ronda.analysis.policies import RUN_MINUTES
from ronda.analysis.snapshots import Snapshot
from ronda.errors import RondaError
from ronda.jobs.errors import JobStop
from ronda.policies.queries import value_of

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2


def engine_of(session: Session, snapshot: Snapshot) -> Engine:
    """One for all questions of a run: what they share is computed once."""
    given = settings.RONDA
    folder = segments.spill_folder(session.pk)
    folder.mkdir(parents=True, exist_ok=True)
    means = Means(
        threads=given.question_threads or os.cpu_count() or 1,
        memory_bytes=given.question_memory_bytes,
        spill_folder=folder,
    )
    if reads_ronda(snapshot.asked):
        return DuckDBEngine(means, provide=provide_ronda())
    return engine_for(session.engine, snapshot.tables, means=means, spark_master=given.spark_master)


def answer(
    engine: Engine, row: AnswerRow, snapshot: Snapshot, *, is_complete: bool, tell: Callable[[], None]
) -> None:
    """Answer over the snapshot, and keep the answer. `tell` says how far the job is, and raises when it has to stop."""
    seen = snapshot.seen_by(row.question)
    try:
        found = _computed(engine, row, snapshot, tell)
        values = _values(found.with_dropped({name: table["reasons"] for name, table in seen.items()}))
    except JobStop:
        raise
    except RondaError as error:
        logger.info("question %s of session %s failed: %s", row.question, row.session_id, error)
        values = {"state": AnswerState.FAILED, "error": str(error).replace("\0", "")[:4000]}
    # What is complete stays: a live run that was late, or a worker thought dead, has nothing better.
    AnswerRow.objects.filter(pk=row.pk, is_complete=False).update(
        **values, seen=seen, is_complete=is_complete, answered_at=timezone.now()
    )


def _computed(engine: Engine, row: AnswerRow, snapshot: Snapshot, tell: Callable[[], None]) -> Answer:
    """In a thread, while this one looks whether it is still wanted."""
    question = snapshot.asked.set.question(row.question)
    watch = Watch()
    deadline = time.monotonic() + 60 * int(value_of(RUN_MINUTES))
    with ThreadPoolExecutor(1, thread_name_prefix="engine") as thread:
        future = thread.submit(engine.answer, question, snapshot.tables, row.parameters, watch=watch)
        try:
            while not wait([future], LOOK_SECONDS).done:
                tell()
                if time.monotonic() > deadline:
                    raise TookTooLong()
        except BaseException:
            # Again and again: between two statements there is nothing to interrupt, and then the next one begins.
            while not wait([future], LOOK_SECONDS).done:
                watch.cancel()
            raise
        return future.result()


def _values(found: Answer) -> dict[str, Any]:
    body = body_of(found.table)
    return {
        "state": AnswerState.DONE,
        "error": "",
        "columns": body.columns,
        "row_count": found.table.num_rows,
        "body": body.packed,
        "digest": body.digest,
        "used": dict(found.used),
        "dropped": {table: dict(reasons) for table, reasons in found.dropped.items()},
        "warnings": list(found.warnings),
        "engine": found.engine,
        "seconds": found.seconds,
    }
