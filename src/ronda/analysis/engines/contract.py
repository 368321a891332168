"""What an engine promises, and what it gives back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from ronda.analysis.errors import BadTable, Cancelled
from ronda.analysis.questions.model import Question, TableNeed
from ronda.analysis.sentiment import SentimentModel

Segments = Mapping[str, Sequence[Path]]
INSIST_EVERY_SECONDS = 0.1
DroppedRows = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Answer:
    """The result of a question, and what it was made of."""

    question: str
    table: pa.Table
    # Rows of each table that went into it; and those that did not, by table and reason.
    used: Mapping[str, int] = field(default_factory=dict)
    dropped: DroppedRows = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    engine: str = ""
    seconds: float = 0.0

    @property
    def columns(self) -> list[str]:
        return list(self.table.column_names)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(column.to_pylist() for column in self.table.columns), strict=True))

    @property
    def used_rows(self) -> int:
        return sum(self.used.values())

    @property
    def dropped_rows(self) -> int:
        return sum(sum(reasons.values()) for reasons in self.dropped.values())

    def with_dropped(self, more: DroppedRows) -> Answer:
        """Also the rows that were dropped on their way in, of the tables this question read."""
        merged = {table: dict(reasons) for table, reasons in self.dropped.items()}
        for table, reasons in more.items():
            if table in self.used or table in merged:
                own = merged.setdefault(table, {})
                for reason, count in reasons.items():
                    own[reason] = own.get(reason, 0) + count
        return replace(
            self, dropped={table: dict(sorted(own.items())) for table, own in sorted(merged.items())}
        )


class Watch:
    """Held by who waits for an answer: hears how far it is, and can stop it, from any thread."""

    def __init__(self, on_progress: Callable[[float], None] | None = None) -> None:
        self._on_progress = on_progress
        self._stops: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._cancelled = threading.Event()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Stop at once; who waits gets Cancelled."""
        if not self._cancelled.is_set():
            self._cancelled.set()
            threading.Thread(target=self._insist, name="question-cancel", daemon=True).start()

    def _insist(self) -> None:
        """An engine that was just about to begin hears nothing of the first call: again, until it gave up."""
        while True:
            with self._lock:
                if not self._stops:
                    return
                for stop in self._stops:
                    stop()
            time.sleep(INSIST_EVERY_SECONDS)

    def check(self) -> None:
        if self.is_cancelled:
            raise Cancelled

    def progress(self, share: float) -> None:
        """From 0 to 1. Called by engines."""
        if self._on_progress:
            self._on_progress(min(max(share, 0.0), 1.0))

    @contextmanager
    def telling(self, measure: Callable[[], float | None], *, every_seconds: float) -> Iterator[None]:
        """While this lasts, a thread of its own tells what `measure` says; nobody listens, no thread."""
        if self._on_progress is None:
            yield
            return
        done = threading.Event()

        def tell() -> None:
            while not done.wait(every_seconds):
                share = measure()
                if share is not None:
                    self.progress(share)

        thread = threading.Thread(target=tell, name="question-progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    @contextmanager
    def stopping(self, stop: Callable[[], None]) -> Iterator[None]:
        """While this lasts, cancel() calls stop."""
        with self._lock:
            self.check()
            self._stops.append(stop)
        try:
            yield
        finally:
            with self._lock:
                self._stops.remove(stop)


class Engine(Protocol):
    """Answers questions over segments. One engine answers one question at a time; close() frees what it holds."""

    name: str

    def answer(
        self,
        question: Question,
        tables: Segments,
        parameters: Mapping[str, object] | None = None,
        *,
        watch: Watch | None = None,
    ) -> Answer: ...

    def close(self) -> None: ...


def missing_tables(question: Question, tables: Segments) -> list[TableNeed]:
    """Tables the question cannot do without and that were not given."""
    return [need for need in question.tables if need.name not in tables and not need.is_optional]


def require_tables(question: Question, tables: Segments) -> None:
    if missing := missing_tables(question, tables):
        names = ", ".join(need.name for need in missing)
        raise BadTable(f"{question.name} needs the table {names}.", field="table", hint="Hand it in first.")


def is_answerable(question: Question, names: Collection[str]) -> bool:
    """Whether these tables are enough: all it cannot do without, and at least one."""
    needed = [need.name for need in question.tables if not need.is_optional]
    return all(name in names for name in needed) and any(need.name in names for need in question.tables)


def warnings_of(question: Question, tables: Segments) -> tuple[str, ...]:
    return tuple(caution.text for caution in question.cautions if not tables.get(caution.without))


def automatic_values(question: Question, tables: Segments, sentiment: SentimentModel) -> dict[str, object]:
    """`$has_links` and its like: whether each table was given; and what judges texts."""
    given = {f"has_{need.name}": bool(tables.get(need.name)) for need in question.tables}
    return {**given, "sentiment_model": sentiment.name}
