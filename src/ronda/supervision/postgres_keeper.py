"""The keeping of the embedded PostgreSQL: started first, watched like a child, ended last."""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import time

from ronda.database.embedded import EmbeddedPostgres
from ronda.database.errors import EmbeddedPostgresFailed
from ronda.supervision.managed import Launched, ManagedProcess
from ronda.supervision.reporting import Reporter

logger = logging.getLogger(__name__)

POSTGRES = "postgres"
START_SECONDS = 60
STOP_SECONDS = 20
# Patient: a checkpoint on a slow disk may hold everything up for a while.
HANG_SECONDS = 30


class PostgresKeeper:
    """What the reporter hears of the database is its heartbeat."""

    def __init__(self, embedded: EmbeddedPostgres, reporter: Reporter) -> None:
        self._embedded = embedded
        self._reporter = reporter
        self.process = ManagedProcess(
            name=POSTGRES, role=POSTGRES, launch=lambda: Launched(embedded.spawn(), None), show=_show
        )

    async def start(self) -> None:
        self._embedded.prepare()
        self.process.start()
        deadline = time.monotonic() + START_SECONDS
        while not self._embedded.is_ready():
            if self.process.has_ended() or time.monotonic() > deadline:
                self.process.release()
                reason = " ".join(self.process.last_words)[-800:] or "no reason given"
                raise EmbeddedPostgresFailed(f"PostgreSQL did not start: {reason}")
            await asyncio.sleep(0.05)
        self.process.note_life()

    def look_after(self) -> bool:
        """Restart it if it died, kill it if it hangs. True when it is back after having been away."""
        if event := self.process.tick():
            logger.warning("%s %s", POSTGRES, event)
        if not self.process.is_running:
            return False
        is_back = self.process.beat_at is None and self._embedded.is_ready()
        if is_back:
            logger.info("PostgreSQL is back")
            self._reporter.answered_at = time.monotonic()
        if is_back or self.process.beat_at:
            self.process.note_life()
        if self.process.beat_at and time.monotonic() - self._reporter.answered_at > HANG_SECONDS:
            # Nothing it acknowledged is lost: it recovers from its log, as after a power cut.
            logger.error("PostgreSQL has said nothing for %d s and is killed", HANG_SECONDS)
            self._reporter.answered_at = time.monotonic()
            self.process.kill()
        return is_back

    def ask_to_stop(self) -> None:
        """Fast shutdown: sessions are cut, nothing that was committed is lost."""
        self.process.ask_to_stop(signal.SIGINT, STOP_SECONDS)


_LEVELS = {
    "LOG": logging.DEBUG,
    "DETAIL": logging.DEBUG,
    "HINT": logging.DEBUG,
    "STATEMENT": logging.DEBUG,
    "WARNING": logging.WARNING,
    "ERROR": logging.INFO,
    "FATAL": logging.INFO,
    "PANIC": logging.ERROR,
}


def _show(line: str) -> None:
    """PostgreSQL's own words into our log. ERROR and FATAL concern one session, which reports them itself."""
    found = re.match(r"([A-Z]+):\s+(.*)", line)
    level, words = (found[1], found[2]) if found else ("LOG", line)
    logger.log(_LEVELS.get(level, logging.INFO), "postgres: %s", words)
