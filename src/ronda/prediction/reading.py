"""Traces from CSV: `source,changed_at`, and if there are `content_id`, `size_bytes`, `notified_at`.

What is wrong is named with its line.
"""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ronda.prediction.errors import BadTrace
from ronda.prediction.traces import Trace

NEEDED = ("source", "changed_at")
OPTIONAL = ("content_id", "size_bytes", "notified_at")
_Table = NDArray[np.float64]
EXAMPLE = "2024-05-01T12:00:00Z"


class _Row(NamedTuple):
    line: int
    who: int
    at: float
    content: int
    size_bytes: float
    told_at: float


def read_trace(path: Path, *, now: datetime | None = None, in_any_order: bool = False) -> Trace:
    """A source's rows stand in the order of time unless `in_any_order`; sources may be mixed."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return parse_trace(file, now=now, in_any_order=in_any_order)
    except UnicodeDecodeError as error:
        line = _first_line_not_utf8(path)
        raise BadTrace(f"Line {line} is not UTF-8.", hint="Save the file as UTF-8.") from error
    except OSError as error:
        raise BadTrace(f"{path} cannot be read: {error.strerror}.") from error


def parse_trace(lines: Iterable[str], *, now: datetime | None = None, in_any_order: bool = False) -> Trace:
    latest = (now or datetime.now(UTC)).timestamp()
    numbers: dict[str, int] = {}
    # Numbers only: a trace of millions of rows must not become millions of objects.
    values = array("d")
    for row in _rows(lines, numbers, latest):
        values.extend(row)
    if not values:
        raise BadTrace("The trace has no rows.", hint="One row a change: source,changed_at.")
    table = np.frombuffer(values).reshape(-1, len(_Row._fields))
    order = np.lexsort((table[:, 2], table[:, 1]))
    _refuse_repeated(table[order], tuple(numbers))
    if not in_any_order:
        _refuse_disorder(table, tuple(numbers))
    table = table[order]
    told = table[np.isfinite(table[:, 5])]
    told = told[np.argsort(told[:, 5], kind="stable")]
    return Trace(
        names=tuple(numbers),
        who=table[:, 1].astype(np.int64),
        at=table[:, 2],
        content=table[:, 3].astype(np.int64),
        size_bytes=table[:, 4],
        told_who=told[:, 1].astype(np.int64),
        told_at=told[:, 5],
    )


def _records(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Cells with the line they begin on."""
    # Strict: else a quote that is never closed swallows the rest of the file.
    reader = csv.reader(lines, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        hint = "A quote that is opened is closed on the same line; inside it a quote is written twice."
        raise BadTrace(f"Line {line} is not CSV: {error}.", hint=hint) from error


def _rows(lines: Iterable[str], numbers: dict[str, int], latest: float) -> Iterator[_Row]:
    records = _records(lines)
    _, header = next(records, (1, None))
    if header is None:
        raise BadTrace("The trace is empty.", hint="Its first line is: source,changed_at.")
    columns = _columns(header)
    contents: dict[str, int] = {}
    for count, (line, cells) in enumerate(records):
        if not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(header) :]):
            raise BadTrace(
                f"Line {line} has {len(cells)} cells, the first line names {len(header)}.",
                hint="A comma within a cell needs quotes around it.",
            )
        found = {name: cells[at].strip() if at < len(cells) else "" for name, at in columns.items()}
        if not found["source"]:
            raise BadTrace(f"Line {line}: the source is missing.")
        content = found.get("content_id", "")
        yield _Row(
            line=line,
            who=numbers.setdefault(found["source"], len(numbers)),
            at=_past(found["changed_at"], "changed_at", line, latest),
            content=contents.setdefault(content, len(contents)) if content else -1 - count,
            size_bytes=_size(found.get("size_bytes", ""), line),
            told_at=_past(told, "notified_at", line, latest)
            if (told := found.get("notified_at", ""))
            else math.nan,
        )


def _columns(header: list[str]) -> dict[str, int]:
    found = {name.strip().lower(): at for at, name in enumerate(header)}
    if missing := [name for name in NEEDED if name not in found]:
        raise BadTrace(
            f"Line 1: no column {' and no column '.join(missing)}.",
            hint=f"The first line names the columns, parted by commas: {','.join((*NEEDED, *OPTIONAL))}; "
            f"the last three may be left out.",
        )
    return {name: at for name, at in found.items() if name in (*NEEDED, *OPTIONAL)}


def _past(text: str, column: str, line: int, latest: float) -> float:
    try:
        at = datetime.fromisoformat(text)
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        said = f"{column} {text!r} is no time" if text else f"{column} is missing"
        raise BadTrace(f"Line {line}: {said}.", hint=f"Write ISO 8601 in UTC: {EXAMPLE}.") from None
    if seconds < 0:
        raise BadTrace(f"Line {line}: {column} {text} lies before 1970, when there was no web.")
    if seconds > latest:
        raise BadTrace(f"Line {line}: {column} {text} lies in the future.", hint="A trace is what happened.")
    return seconds


def _size(text: str, line: int) -> float:
    if not text:
        return math.nan
    if not text.isascii() or not text.isdigit():
        raise BadTrace(f"Line {line}: size_bytes {text!r} is no number of bytes.")
    return float(text)


def _refuse_disorder(table: _Table, names: tuple[str, ...]) -> None:
    by_source = np.argsort(table[:, 1], kind="stable")
    rows = table[by_source]
    earlier = np.flatnonzero((rows[1:, 1] == rows[:-1, 1]) & (rows[1:, 2] < rows[:-1, 2]))
    if not earlier.size:
        return
    first = earlier[np.argmin(rows[earlier + 1, 0])]
    line, before = int(rows[first + 1, 0]), int(rows[first, 0])
    raise BadTrace(
        f"Line {line}: {names[int(rows[first, 1])]!r} changes earlier than on line {before}.",
        hint="Sort each source by time, or take rows in any order with --sort.",
    )


def _refuse_repeated(table: _Table, names: tuple[str, ...]) -> None:
    """Sorted by source and time. Two contents at one time happen: pollers write what they found in one go."""
    is_again = (table[1:, 1] == table[:-1, 1]) & (table[1:, 2] == table[:-1, 2])
    is_again &= (table[1:, 3] == table[:-1, 3]) | (table[1:, 3] < 0)
    again = np.flatnonzero(is_again)
    if not again.size:
        return
    pairs = np.sort(np.stack([table[again, 0], table[again + 1, 0]]), axis=0)
    first = int(np.argmin(pairs[1]))
    raise BadTrace(
        f"Line {int(pairs[1, first])}: {names[int(table[again[first], 1])]!r} changes at the same time as on "
        f"line {int(pairs[0, first])}, to nothing else.",
        hint="Remove one of them, or tell them apart by content_id.",
    )


def _first_line_not_utf8(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 0
