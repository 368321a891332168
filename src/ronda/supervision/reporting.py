"""The supervisor's reports to the database: what runs here, and whether somebody asked for a restart."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterable
from contextlib import suppress

import psycopg

from ronda import __version__
from ronda.database.named_sql import named_sql
from ronda.supervision.managed import ManagedProcess
from ronda.supervision.states import ProcessState

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 4


class Reporter:
    """Keeps one connection; a database that is gone costs a log line, never the supervisor."""

    def __init__(self, url: str, instance: str) -> None:
        self.url = url
        self.instance = instance
        self._connection: psycopg.AsyncConnection | None = None
        self._is_failing = False
        # When the server last said anything, even no: a hung one says nothing.
        self.answered_at = time.monotonic()

    async def report(self, processes: Iterable[ManagedProcess]) -> set[str]:
        """Write every process's state; returns the names of those somebody wants restarted."""
        try:
            wanted = await asyncio.wait_for(self._write(list(processes)), TIMEOUT_SECONDS)
        except (psycopg.Error, TimeoutError, OSError) as error:
            if getattr(error, "sqlstate", None):
                self.answered_at = time.monotonic()
            if not self._is_failing:
                logger.warning(
                    "cannot report to the database: %s", str(error).strip() or type(error).__name__
                )
            self._is_failing = True
            await self.close()
            return set()
        self._is_failing = False
        self.answered_at = time.monotonic()
        return wanted

    async def are_tokens_good(self, digests: list[str]) -> bool | None:
        """Whether all these tokens let an administrator in; None while the database cannot say."""
        try:
            return await asyncio.wait_for(self._count_good(digests), TIMEOUT_SECONDS) == len(digests)
        except (psycopg.Error, TimeoutError, OSError) as error:
            logger.debug("cannot ask about tokens: %s", error)
            await self.close()
            return None

    async def _count_good(self, digests: list[str]) -> int:
        connection = await self._connected()
        cursor = await connection.execute(named_sql("ronda.accounts", "good_tokens"), [digests])
        row = await cursor.fetchone()
        return int(row[0]) if row else 0

    async def _connected(self) -> psycopg.AsyncConnection:
        if self._connection is None:
            self._connection = await psycopg.AsyncConnection.connect(
                self.url, autocommit=True, connect_timeout=3, application_name="ronda supervisor"
            )
        return self._connection

    async def _write(self, processes: list[ManagedProcess]) -> set[str]:
        connection = await self._connected()
        async with connection.cursor() as cursor:
            await cursor.executemany(
                named_sql("ronda.supervision", "report"), [self._row(p) for p in processes]
            )
            await cursor.execute(named_sql("ronda.supervision", "take_restart_requests"), [self.instance])
            return {name for (name,) in await cursor.fetchall()}

    def _row(self, process: ManagedProcess) -> dict[str, object]:
        return {
            "instance": self.instance,
            "machine": socket.gethostname(),
            "name": process.name,
            "role": process.role,
            "pid": process.pid,
            "state": str(process.state),
            "doing": process.doing,
            "restarts": process.restarts,
            "last_words": "\n".join(process.last_words).replace("\0", "")
            if self._is_noteworthy(process)
            else "",
            "version": __version__,
            "started_at": process.started_at,
            "beat_at": process.beat_at,
        }

    @staticmethod
    def _is_noteworthy(process: ManagedProcess) -> bool:
        return process.restarts > 0 or process.state == ProcessState.FAILING

    async def close(self) -> None:
        if self._connection:
            with suppress(psycopg.Error, OSError):
                await self._connection.close()
            self._connection = None
