"""The web process's readers of bodies: a few processes, each with one body at a time."""

from __future__ import annotations

import json
import logging
import os
import queue
import select
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict
from functools import cache

from ronda.analysis.errors import BadBody, Busy
from ronda.analysis.intake_process import Order, Report

logger = logging.getLogger(__name__)

MOST_PROCESSES = 4
# A body is at most some tens of megabytes: whoever takes longer hangs.
MOST_SECONDS = 120.0
# How long a body waits for a reader before its client is told to come back.
TURN_SECONDS = 60.0


class ReaderDied(Exception):
    """The process broke off, or took too long."""


class Reader:
    """One process. It ends by itself when we do: nothing comes from its standard input any more."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ronda.analysis.intake_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def read(self, order: Order, most_seconds: float) -> Report:
        assert self._process.stdin  # noqa: S101
        assert self._process.stdout  # noqa: S101
        try:
            self._process.stdin.write(json.dumps(asdict(order)).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise ReaderDied from None
        ready, _, _ = select.select([self._process.stdout], [], [], most_seconds)
        line = self._process.stdout.readline() if ready else b""
        if not line.endswith(b"\n"):
            raise ReaderDied
        return Report(**json.loads(line))

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()


class IntakePool:
    def __init__(self, size: int, most_seconds: float = MOST_SECONDS) -> None:
        self._turns = threading.BoundedSemaphore(size)
        self._free: queue.SimpleQueue[Reader] = queue.SimpleQueue()
        self._most_seconds = most_seconds

    def read(self, order: Order) -> Report:
        """A body that kills its reader costs that one, and is refused."""
        if not self._turns.acquire(timeout=TURN_SECONDS):
            raise Busy(retry_after_seconds=2)
        try:
            return self._read(order)
        finally:
            self._turns.release()

    def _read(self, order: Order) -> Report:
        try:
            reader = self._free.get_nowait()
        except queue.Empty:
            reader = Reader()
        try:
            report = reader.read(order, self._most_seconds)
        except ReaderDied:
            reader.end()
            logger.warning("a body of %s could not be read to its end", order.content_type)
            raise BadBody(
                "The body could not be read: it takes too much memory or time. Send smaller batches.",
                field="body",
            ) from None
        except BaseException:
            reader.end()
            raise
        self._free.put(reader)
        return report

    def close(self) -> None:
        while True:
            try:
                self._free.get_nowait().end()
            except queue.Empty:
                return


@cache
def pool() -> IntakePool:
    """This process's own."""
    return IntakePool(min(MOST_PROCESSES, os.cpu_count() or 1))
