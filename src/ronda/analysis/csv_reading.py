"""CSV into typed columns: chunks of whole rows, parsed side by side, in order."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from ronda.analysis.csv_rows import whole_rows
from ronda.analysis.drop_reasons import WRONG_NUMBER_OF_COLUMNS
from ronda.analysis.errors import BrokenFile, TooMuchData, WrongColumns
from ronda.analysis.fitting import Piece, fit, schema_of
from ronda.analysis.limits import Limits
from ronda.analysis.opening import Opened
from ronda.analysis.questions.model import Column, TableNeed

# Small enough to stay in a core's cache from one step to the next.
CHUNK_BYTES = 2 << 20
CHUNKS_AHEAD = 24
# Around a value that does not fit so much is looked at closely.
PART_BYTES = 64 << 10
MAX_HEADER_BYTES = 1 << 20
DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Layout:
    """How the rows of a file are to be read."""

    names: tuple[str, ...]
    delimiter: str
    columns: tuple[Column, ...]


def csv_pieces(body: Opened, need: TableNeed, limits: Limits, threads: int) -> Iterator[Piece]:
    head, rest = _header_line(body)
    layout = layout_of(head, need, limits)
    yield Piece(schema_of(layout.columns).empty_table())
    with ThreadPoolExecutor(max(threads, 1), "csv") as pool:
        waiting: deque[Future[Piece]] = deque()
        try:
            for rows, dropped in _chunks(body, rest, layout, limits):
                waiting.append(pool.submit(parse_rows, rows, dropped, layout, limits))
                # Enough that they have work while we write what is ready, and memory stays bounded.
                if len(waiting) >= CHUNKS_AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _header_line(body: Opened) -> tuple[bytes, bytes]:
    """The first row and what was read behind it."""
    data = body.read(CHUNK_BYTES)
    if not data:
        raise BrokenFile("The CSV is empty.", hint="Its first line names the columns.")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BrokenFile("The CSV is UTF-16.", hint="Save it as UTF-8.")
    end = data.find(b"\n")
    while 0 <= end < MAX_HEADER_BYTES and data.count(b'"', 0, end) % 2:
        end = data.find(b"\n", end + 1)
    if end < 0:
        if len(data) >= MAX_HEADER_BYTES:
            raise BrokenFile("The header of the CSV does not end within a megabyte.")
        return data, b""
    return data[:end], data[end + 1 :]


def layout_of(head: bytes, need: TableNeed, limits: Limits) -> Layout:
    """The file's columns against those the table needs."""
    try:
        line = head.decode()
    except UnicodeDecodeError:
        raise BrokenFile("The header of the CSV is not UTF-8.", hint="Save it as UTF-8.") from None
    required = [column.name for column in need.columns if column.is_required]
    found = {delimiter: _names(line, delimiter) for delimiter in DELIMITERS}
    if required:
        delimiter = next(
            (d for d in DELIMITERS if set(required) <= set(found[d])),
            max(DELIMITERS, key=lambda d: len(found[d])),
        )
    else:
        delimiter = max(DELIMITERS, key=lambda d: len(found[d]))
    names = found[delimiter]
    if len(names) > limits.max_columns:
        raise TooMuchData(f"The CSV has {len(names)} columns; {limits.max_columns} are allowed.")
    check_columns(names, need)
    columns = need.columns or tuple(Column(name) for name in names)
    return Layout(tuple(names), delimiter, columns)


def _names(line: str, delimiter: str) -> list[str]:
    row = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter), [])
    return [name.strip() for name in row]


def check_columns(names: list[str], need: TableNeed) -> None:
    """Every column that the table cannot do without is there, once."""
    missing = [column.name for column in need.columns if column.is_required and column.name not in names]
    if missing:
        raise WrongColumns(
            f"{need.name} lacks {_listed(missing)}.",
            field=need.name,
            hint=f"It has {_listed(names)}; needed are {_listed([column.name for column in need.columns])}.",
        )
    wanted = {column.name for column in need.columns} or set(names)
    twice = [name for name in dict.fromkeys(names) if name in wanted and names.count(name) > 1]
    if twice:
        raise WrongColumns(f"{need.name} has {_listed(twice)} more than once.", field=need.name)


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:30])
    return f"{shown} and {len(names) - 30} more" if len(names) > 30 else shown


def _chunks(
    body: Opened, rest: bytes, layout: Layout, limits: Limits
) -> Iterator[tuple[bytes | memoryview, dict[str, int]]]:
    """Whole rows, a chunk at a time; a chunk grows while no row ends in it."""
    delimiter, wanted = layout.delimiter.encode(), CHUNK_BYTES
    while True:
        more = body.read(wanted) if len(rest) < wanted else b""
        is_last = not more and len(rest) < wanted
        data = rest + more if more else rest
        if is_last and not data:
            return
        cut = whole_rows(data, is_last=is_last, delimiter=delimiter, max_row_bytes=limits.max_row_bytes)
        if cut.consumed_bytes:
            yield cut.rows, cut.dropped
        rest = data[cut.consumed_bytes :]
        wanted = max(CHUNK_BYTES, 2 * len(rest))
        if is_last:
            return


def parse_rows(rows: bytes | memoryview, dropped: Mapping[str, int], layout: Layout, limits: Limits) -> Piece:
    """Whole rows into the declared columns. One value that does not fit costs a closer look at its part, not at all."""
    if not len(rows):
        return Piece(schema_of(layout.columns).empty_table(), dict(dropped))
    if (piece := _sound(rows, dropped, layout, limits)) is not None:
        return piece
    if len(rows) <= PART_BYTES or _has_nested(layout):
        return _looked_at(rows, dropped, layout, limits)
    pieces = [
        _sound(part, {}, layout, limits) or _looked_at(part, {}, layout, limits)
        for part in _parts(rows, layout)
    ]
    found = dict(dropped)
    for piece in pieces:
        for reason, count in piece.dropped.items():
            found[reason] = found.get(reason, 0) + count
    return Piece(pa.concat_tables(piece.table for piece in pieces), found)


def _has_nested(layout: Layout) -> bool:
    return any(pa.types.is_nested(one.type) for one in schema_of(layout.columns))


def _parts(rows: bytes | memoryview, layout: Layout) -> Iterator[bytes]:
    """Rows of sound quoting in parts of whole rows."""
    rest, delimiter = bytes(rows), layout.delimiter.encode()
    while rest:
        size = PART_BYTES
        while not (
            end := whole_rows(rest[:size], is_last=size >= len(rest), delimiter=delimiter).consumed_bytes
        ):
            size *= 2
        yield rest[:end]
        rest = rest[end:]


def _sound(
    rows: bytes | memoryview, dropped: Mapping[str, int], layout: Layout, limits: Limits
) -> Piece | None:
    """At Arrow's speed; None if some value is not of its type, or one might be too big."""
    if _has_nested(layout) or len(rows) > limits.max_field_bytes:
        return None
    lost = _Lost()
    there = schema_of(tuple(column for column in layout.columns if column.name in layout.names))
    table = _read(rows, layout, lost.skip, {one.name: one.type for one in there})
    if table is None:
        return None
    if len(there) < len(layout.columns):
        table = fit(table, layout.columns, max_field_bytes=limits.max_field_bytes).table
    return Piece(table, _with_lost(dropped, {}, lost.rows))


def _looked_at(rows: bytes | memoryview, dropped: Mapping[str, int], layout: Layout, limits: Limits) -> Piece:
    """Value by value: rows with one that does not fit are left out, and counted by the reason."""
    lost = _Lost()
    there = [column.name for column in layout.columns if column.name in layout.names]
    table = _read(rows, layout, lost.skip, dict.fromkeys(there, pa.binary()))
    if table is None:
        raise BrokenFile("The CSV cannot be read.")
    piece = fit(table, layout.columns, max_field_bytes=limits.max_field_bytes)
    return Piece(piece.table, _with_lost(dropped, piece.dropped, lost.rows))


class _Lost:
    """Rows with the wrong number of columns, as Arrow tells of them."""

    def __init__(self) -> None:
        self.rows = 0

    def skip(self, _row: arrow_csv.InvalidRow) -> str:
        self.rows += 1
        return "skip"


def _with_lost(dropped: Mapping[str, int], unfit: Mapping[str, int], lost: int) -> dict[str, int]:
    """Rows that were dropped before, that did not fit, and that had the wrong number of columns."""
    found = dict(dropped)
    for reason, count in {**unfit, WRONG_NUMBER_OF_COLUMNS: lost}.items():
        if count:
            found[reason] = found.get(reason, 0) + count
    return found


def _read(
    rows: bytes | memoryview, layout: Layout, skip: object, types: dict[str, pa.DataType]
) -> pa.Table | None:
    """With Arrow's reader; None if a value does not fit its type, and fit() has to look closer."""
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(rows)),
            read_options=arrow_csv.ReadOptions(
                use_threads=False, block_size=len(rows) + 1, column_names=list(layout.names)
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.delimiter, newlines_in_values=True, invalid_row_handler=skip
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(types),
                column_types=types,
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV file" in str(error):
            return pa.schema(list(types.items())).empty_table()
        return None
    for column in table.columns:
        if pa.types.is_floating(column.type) and pc.all(pc.is_finite(column)).as_py() not in (True, None):
            return None
    return table
