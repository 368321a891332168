"""How a question is asked of any engine: what an engine brings is a way to open segments."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

import pyarrow as pa

from ronda.analysis.engines.contract import (
    Answer,
    Segments,
    Watch,
    automatic_values,
    require_tables,
    warnings_of,
)
from ronda.analysis.engines.row_counts import counted
from ronda.analysis.questions.model import Question
from ronda.analysis.sentiment import SentimentModel

Paths = Mapping[str, tuple[str, ...]]
Bound = Mapping[str, object]


class OpenTables(Protocol):
    """Segments as an engine has them open, with what was made of them so far."""

    # Tables that are no segments and are there nevertheless.
    provided: frozenset[str]

    def running(self, watch: Watch) -> AbstractContextManager[None]:
        """The engine's errors in our words; cancel() stops what is begun here."""

    def make(self, question: Question, values: Bound, watch: Watch) -> None:
        """The tables and views the question reads, those that are not there yet."""

    def select(self, sql: str, values: Bound, watch: Watch) -> pa.Table: ...

    def close(self) -> None: ...


class SegmentEngine(ABC):
    """While it is asked about the same segments, what questions share is computed once."""

    name: str

    def __init__(self, sentiment: SentimentModel) -> None:
        self._sentiment = sentiment
        self._segments: Paths = {}
        self._tables: OpenTables | None = None

    @abstractmethod
    def _open(self, segments: Paths) -> OpenTables: ...

    def answer(
        self,
        question: Question,
        tables: Segments,
        parameters: Mapping[str, object] | None = None,
        *,
        watch: Watch | None = None,
    ) -> Answer:
        watch, began = watch or Watch(), time.monotonic()
        values = question.parameter_values(parameters)
        bound = {**automatic_values(question, tables, self._sentiment), **values}
        known = self._tables_of(tables)
        require_tables(question, {**dict.fromkeys(known.provided, ()), **tables})
        with known.running(watch):
            known.make(question, bound, watch)
            table = known.select(question.sql, bound, watch)
            used, dropped = counted(question, tables, lambda sql: known.select(sql, bound, watch).to_pylist())
        return Answer(
            question=question.name,
            table=table,
            used=used,
            dropped=dropped,
            warnings=warnings_of(question, tables),
            parameters=values,
            engine=self.name,
            seconds=time.monotonic() - began,
        )

    def _tables_of(self, tables: Segments) -> OpenTables:
        segments = {name: tuple(str(path) for path in paths) for name, paths in tables.items()}
        if self._tables is None or self._segments != segments:
            self.close()
            self._tables, self._segments = self._open(segments), segments
        return self._tables

    def close(self) -> None:
        """Lets go of what was kept."""
        if self._tables is not None:
            self._tables.close()
            self._tables = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
