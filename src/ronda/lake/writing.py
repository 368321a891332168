"""Writing the lake: a transaction that is tried again when others were quicker."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import duckdb
from django.db import connection, transaction

from ronda.lake.catalogue import gone
from ronda.lake.errors import LakeBusy
from ronda.lake.opening import Purpose, cursor, forget

logger = logging.getLogger(__name__)

T = TypeVar("T")

ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 0.1


def write(work: Callable[[duckdb.DuckDBPyConnection], T], *, turn: str = "") -> T:
    """Do `work` in one transaction of the lake: all of it is there afterwards, or nothing.

    It may be done several times, so it is idempotent: others may have been quicker, or PostgreSQL may have been killed
    between our commit and its acknowledgement. The lake has no unique keys. Whoever looks for rows before it inserts
    them names a `turn`: of one name, one writer of all machines is at work at a time.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _once(work, turn)
        except (duckdb.TransactionException, duckdb.IOException, duckdb.ConnectionException) as error:
            if attempt == ATTEMPTS:
                raise gone(error) or LakeBusy() from error
            logger.info("the lake is tried again (%d of %d): %s", attempt, ATTEMPTS, error)
            if not isinstance(error, duckdb.TransactionException):
                forget()  # PostgreSQL was restarted, and the engine holds connections to the one before
        time.sleep(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))  # noqa: S311
    raise AssertionError("unreachable")


def _once(work: Callable[[duckdb.DuckDBPyConnection], T], turn: str) -> T:
    with transaction.atomic():
        if turn:
            with connection.cursor() as lock:
                lock.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"ronda.lake.{turn}"])
        taken = cursor(Purpose.WRITING)
        try:
            taken.execute("BEGIN")
            result = work(taken)
            taken.execute("COMMIT")
        except BaseException:
            with suppress(duckdb.Error):
                taken.execute("ROLLBACK")
            raise
        finally:
            taken.close()
    return result
