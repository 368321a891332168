"""Questions without a server: files become segments in a temporary folder, and an engine answers meanwhile."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from ronda.analysis.engines.contract import DroppedRows
from ronda.analysis.errors import BadBody, BadTable, Cancelled
from ronda.analysis.intake import Taken, take_in
from ronda.analysis.questions.model import Question, QuestionSet, TableNeed
from ronda.analysis.sniffing import declared

TABLES_AT_ONCE = 3
Files = Mapping[str, Sequence[Path]]
OnBytes = Callable[[str, int], None]


class Taking:
    """Files on their way to segments, the smallest table first; each can be asked about as soon as it is there."""

    def __init__(self, needs: Sequence[TableNeed], files: Files, place: Path, on_bytes: OnBytes) -> None:
        self.segments = {
            need.name: [place / f"{need.name}-{number}.parquet" for number, _ in enumerate(files[need.name])]
            for need in needs
        }
        self._files, self._on_bytes = files, on_bytes
        self._is_stopped = threading.Event()
        # Beside a table that is quick to parse one that is not: nested values, which are read in Python.
        self._pool = ThreadPoolExecutor(TABLES_AT_ONCE, "taking")
        self._taken = {
            need.name: self._pool.submit(self._table, need) for need in sorted(needs, key=self._size)
        }

    def _size(self, need: TableNeed) -> int:
        return sum(path.stat().st_size for path in self._files[need.name])

    def _table(self, need: TableNeed) -> list[Taken]:
        paths = self._files[need.name]
        # What the first file has decides for all of them.
        need = declared(need, paths[0])
        return [
            _take(path, need, segment, self._say)
            for path, segment in zip(paths, self.segments[need.name], strict=True)
        ]

    def _say(self, table: str, size_bytes: int) -> None:
        if self._is_stopped.is_set():
            raise Cancelled
        self._on_bytes(table, size_bytes)

    def in_turn(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Each when its tables are there."""
        waiting = list(questions)
        while waiting:
            there = {name for name, taken in self._taken.items() if taken.done()}
            for name in there:
                # One that failed is done, too: that is said before anything is asked of it.
                self._taken[name].result()
            ready = next((one for one in waiting if self._tables_of(one) <= there), None)
            if ready is None:
                wait([self._taken[name] for name in self._taken.keys() - there], return_when=FIRST_COMPLETED)
                continue
            waiting.remove(ready)
            yield ready

    def _tables_of(self, question: Question) -> set[str]:
        return {need.name for need in question.tables if need.name in self._taken}

    def dropped_of(self, question: Question) -> DroppedRows:
        """Rows of its tables that were dropped on their way in."""
        found: dict[str, dict[str, int]] = {}
        for table in self._tables_of(question):
            own = found.setdefault(table, {})
            for taken in self._taken[table].result():
                for reason, count in taken.dropped.items():
                    own[reason] = own.get(reason, 0) + count
        return found

    def wait_for_all(self) -> None:
        for taken in self._taken.values():
            taken.result()

    def stop(self) -> None:
        """Whatever is not there yet is no longer wanted."""
        self._is_stopped.set()
        self._pool.shutdown(cancel_futures=True)


@contextmanager
def taking_files(
    questions: QuestionSet, files: Files, *, folder: Path | None = None, on_bytes: OnBytes | None = None
) -> Iterator[Taking]:
    """The files as segments, for as long as this lasts. on_bytes hears of each bit of a table that was read."""
    needs = needs_of(questions, files)
    with tempfile.TemporaryDirectory(prefix="ronda-ask-", dir=folder, ignore_cleanup_errors=True) as place:
        taking = Taking(needs, files, Path(place), on_bytes or (lambda _table, _size: None))
        try:
            yield taking
        finally:
            taking.stop()


def _take(path: Path, need: TableNeed, segment: Path, on_bytes: OnBytes) -> Taken:
    say = partial(on_bytes, need.name)
    try:
        return take_in(path, need, segment, threads=os.cpu_count() or 1, is_durable=False, on_bytes=say)
    except BadBody as error:
        raise type(error)(f"{path}: {error.message}", field=error.field, hint=error.hint) from None


def needs_of(questions: QuestionSet, files: Files) -> list[TableNeed]:
    """The tables to take in; one that is unknown or missing is named."""
    for name in files:
        questions.table(name)
    missing = [need.name for need in questions.tables if not need.is_optional and need.name not in files]
    if missing:
        flags = " ".join(f"--{name} FILE" for name in missing)
        raise BadTable(f"{questions.name} needs {', '.join(missing)}.", field="table", hint=f"Add {flags}.")
    return [need for need in questions.tables if need.name in files]


def narrowed(questions: QuestionSet, names: Sequence[str]) -> QuestionSet:
    """Only these questions, and the tables they read."""
    if not names:
        return questions
    chosen: tuple[Question, ...] = tuple(questions.question(name) for name in names)
    read = {need.name for question in chosen for need in question.tables}
    return replace(
        questions, questions=chosen, tables=tuple(need for need in questions.tables if need.name in read)
    )
