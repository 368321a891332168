"""Notices that the tokens of this home no longer work (revoked, or their person left) and has new ones issued."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from ronda.supervision.home_tokens import digests
from ronda.supervision.reporting import Reporter

logger = logging.getLogger(__name__)

LOOK_SECONDS = 5
# After an attempt that did not help: its reason stands in the log, once a minute is often enough.
REST_SECONDS = 60


class TokenKeeper:
    def __init__(
        self,
        home: Path,
        *,
        reporter: Reporter,
        environment: Mapping[str, str],
        on_issued: Callable[[], None],
    ) -> None:
        self._home = home
        self._reporter = reporter
        self._environment = environment
        self._on_issued = on_issued
        self._look_at = 0.0
        self._issuing: asyncio.Task[None] | None = None

    async def look_after(self) -> None:
        """Called with every report; returns soon, as issuing goes on beside it."""
        if time.monotonic() < self._look_at or (self._issuing and not self._issuing.done()):
            return
        self._look_at = time.monotonic() + LOOK_SECONDS
        if await self._reporter.are_tokens_good(digests(self._home)) is False:
            self._issuing = asyncio.create_task(self._issue())

    async def _issue(self) -> None:
        logger.warning("the tokens in %s no longer work; issuing new ones", self._home)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "ronda.supervision.home_tokens",
            env=self._environment,
            start_new_session=True,
        )
        if await process.wait() == 0:
            self._on_issued()
        else:
            self._look_at = time.monotonic() + REST_SECONDS
