"""Asks the processes that answer questions: a few a process of ours, kept warm, killed when they take too long."""

from __future__ import annotations

import json
import logging
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ronda.lake.locking import locked_opening
from ronda.supervision.shared_secrets import shared_secret
from ronda.wiki.query_errors import BadQuery, QueriesBusy, QueryTooHeavy, RefusedSql

logger = logging.getLogger(__name__)

MAX_SECONDS = 20
MAX_MEMORY_MB = 512
READER = "lake_reader"  # of the secret all machines share
THREADS = 2
AT_ONCE = 2
WAIT_SECONDS = 10
START_SECONDS = 60
# Of an answer's line, and a little more: the child keeps to its own limit.
MAX_LINE_BYTES = 160 * 2**20


@dataclass(frozen=True)
class Question:
    """`values` are bound; None means that the SQL is a person's own and is to be vetted."""

    sql: str
    max_rows: int
    values: dict[str, Any] | None = None
    articles: str | None = None
    articles_sql: str = ""


@dataclass(frozen=True)
class Rows:
    """`is_cut`: there were more than `max_rows`."""

    columns: list[str]
    types: list[str]
    rows: list[list[Any]]
    is_cut: bool


class _Gone(Exception):
    """The child ended, or lost the lake."""


class _Child:
    def __init__(self) -> None:
        statements = locked_opening(
            memory_mb=MAX_MEMORY_MB, threads=THREADS, reader_password=shared_secret(READER)
        )
        opening = {"statements": statements}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ronda.wiki.sandbox.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # None of ours: no secret, no token, no proxy.
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent"},
            start_new_session=True,
        )
        self.pid = self._process.pid
        # Not by an argument: those are seen by everybody on the machine.
        self.ask(opening, START_SECONDS)

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        assert self._process.stdin is not None  # noqa: S101  (said to Popen)
        try:
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise _Gone from error
        answer: dict[str, Any] = json.loads(self._line(deadline))
        return answer

    def _line(self, deadline: float) -> bytes:
        assert self._process.stdout is not None  # noqa: S101
        output, size = self._process.stdout.fileno(), 0
        pieces: list[bytes] = []
        while not pieces or not pieces[-1].endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(output, 2**20)
            size += len(piece)
            if not piece or size > MAX_LINE_BYTES:
                raise _Gone
            pieces.append(piece)
        return b"".join(pieces)

    def end(self) -> None:
        with suppress(OSError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


_idle: list[_Child] = []
_idle_lock = threading.Lock()
_turns = threading.BoundedSemaphore(AT_ONCE)


@contextmanager
def _turn() -> Iterator[None]:
    if not _turns.acquire(timeout=WAIT_SECONDS):
        raise QueriesBusy(retry_after_seconds=5)
    try:
        yield
    finally:
        _turns.release()


def ask(question: Question) -> Rows:
    """The answer, or an error that says what to do; whatever the question was, the next one finds a healthy process."""
    with _turn():
        try:
            return _asked(question)
        except _Gone:
            # Killed, or PostgreSQL was restarted under it: once more, with a fresh one.
            end_idle()
            try:
                return _asked(question)
            except _Gone:
                raise QueryTooHeavy() from None


def _asked(question: Question) -> Rows:
    child = _take()
    is_well = False
    try:
        answer = child.ask(_written(question), MAX_SECONDS)
        is_well = answer.get("error") not in ("lost", "memory")
        return _rows(answer, question)
    except TimeoutError:
        logger.info("a question took longer than %d s and was stopped", MAX_SECONDS)
        raise QueryTooHeavy(
            f"The question took longer than {MAX_SECONDS} seconds and was stopped.",
            hint="Narrow it down: fewer articles, fewer days, no joins of everything with everything.",
        ) from None
    finally:
        _give_back(child) if is_well else child.end()


def _written(question: Question) -> dict[str, Any]:
    values = question.values or {}
    return {
        "sql": question.sql,
        "values": {name: _value(value) for name, value in values.items()},
        "is_own_sql": question.values is None,
        "max_rows": question.max_rows,
        "articles": question.articles,
        "articles_sql": question.articles_sql,
        "seconds": MAX_SECONDS,
    }


def _value(value: Any) -> Any:
    return {"moment": value.isoformat()} if hasattr(value, "isoformat") else value


def _rows(answer: dict[str, Any], question: Question) -> Rows:
    message = str(answer.get("message", "")).strip().split("\n", 1)[0][:400]
    match answer.get("error"):
        case None:
            rows = answer["rows"]
            cut = len(rows) > question.max_rows
            return Rows(answer["columns"], answer["types"], rows[: question.max_rows], cut)
        case "refused":
            raise RefusedSql(message, field="sql")
        case "memory":
            raise QueryTooHeavy(
                f"The question took more than {MAX_MEMORY_MB} MB of memory and was stopped.",
                hint="Narrow it down, or group by less.",
            )
        case "large":
            raise QueryTooHeavy("The answer is too large.", hint="Ask for fewer rows or shorter columns.")
        case "lost":
            raise _Gone(message)
    raise BadQuery(message, field="sql" if question.values is None else "pipeline")


def _take() -> _Child:
    with _idle_lock:
        if _idle:
            return _idle.pop()
    try:
        return _Child()
    except TimeoutError:
        raise _Gone from None


def _give_back(child: _Child) -> None:
    with _idle_lock:
        if len(_idle) < AT_ONCE:
            _idle.append(child)
            return
    child.end()


def end_idle() -> None:
    """Those that wait end; the next question starts one."""
    with _idle_lock:
        ending = list(_idle)
        _idle.clear()
    for child in ending:
        child.end()
