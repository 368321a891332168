"""The leader role: whoever holds PostgreSQL's advisory lock leads; the others stand by and try every second."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
from psycopg.conninfo import make_conninfo

from ronda.configuration import Configuration
from ronda.database.connection import CONNECT_TIMEOUT_SECONDS, KEEPALIVES, database_url
from ronda.supervision.child import Child
from ronda.supervision.duties import Duty, all_duties

logger = logging.getLogger(__name__)

LOCK_KEY = 0x726F6E6461  # "ronda"
PACE_SECONDS = 1
# A leader that stops asking for this long (frozen, partitioned) loses its session, and with it the lock.
SESSION_TIMEOUT_SECONDS = 6


def run(child: Child, configuration: Configuration) -> None:
    import django

    django.setup()
    stopping = threading.Event()
    for how in (signal.SIGTERM, signal.SIGINT):
        signal.signal(how, lambda *_: stopping.set())
    Leader(child, database_url(configuration), stopping).run()


class Leader:
    def __init__(self, child: Child, url: str, stopping: threading.Event) -> None:
        self.child = child
        self.url = url
        self.stopping = stopping
        self.last_done: dict[str, float] = {}

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                with self._session() as session:
                    self._stand_by_then_lead(session)
            except psycopg.OperationalError as error:
                logger.warning("no database session: %s", str(error).strip().split("\n")[0])
            self.child.beat("waiting for the database")
            self.stopping.wait(PACE_SECONDS)

    @contextmanager
    def _session(self) -> Iterator[psycopg.Connection]:
        connection = psycopg.connect(
            make_conninfo(
                self.url,
                connect_timeout=CONNECT_TIMEOUT_SECONDS,
                application_name="ronda leader",
                **KEEPALIVES,
            ),
            autocommit=True,
        )
        try:
            connection.execute(f"SET idle_session_timeout = '{SESSION_TIMEOUT_SECONDS}s'")
            yield connection
        finally:
            connection.close()

    def _stand_by_then_lead(self, session: psycopg.Connection) -> None:
        while not self.stopping.is_set():
            row = session.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_KEY]).fetchone()
            if row and row[0]:
                self._lead(session)
                return
            self.child.beat("standing by")
            self.stopping.wait(PACE_SECONDS)

    def _lead(self, session: psycopg.Connection) -> None:
        term = self._begin_term(session)
        logger.info("leading, term %d", term)
        try:
            while not self.stopping.is_set():
                # On the session that holds the lock: if it fails, we no longer lead and do nothing more.
                session.execute("UPDATE supervision_leadership SET beat_at = now() WHERE id = %s", [term])
                self.child.beat("leading")
                if duty := self._next_due():
                    self._perform(duty)
                else:
                    self.stopping.wait(PACE_SECONDS)
        finally:
            with suppress(psycopg.OperationalError):
                session.execute("UPDATE supervision_leadership SET ended_at = now() WHERE id = %s", [term])
            logger.info("no longer leading")

    def _begin_term(self, session: psycopg.Connection) -> int:
        session.execute("UPDATE supervision_leadership SET ended_at = beat_at WHERE ended_at IS NULL")
        row = session.execute(
            "INSERT INTO supervision_leadership (instance, machine, pid, since, beat_at)"
            " VALUES (%s, %s, %s, now(), now()) RETURNING id",
            [self.child.instance, socket.gethostname(), os.getpid()],
        ).fetchone()
        assert row is not None  # noqa: S101  (RETURNING always gives one)
        return int(row[0])

    def _next_due(self) -> Duty | None:
        now = time.monotonic()
        return next(
            (d for d in all_duties() if now - self.last_done.get(d.name, -1e9) >= d.every_seconds), None
        )

    def _perform(self, duty: Duty) -> None:
        from django.db import close_old_connections

        self.last_done[duty.name] = time.monotonic()
        close_old_connections()
        try:
            duty.perform()
        except Exception:
            # The border of a duty: one that fails must not keep the others from being done.
            logger.exception("duty %s failed", duty.name)
