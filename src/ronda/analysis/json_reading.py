"""NDJSON into typed columns: one object a line."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.json as arrow_json

from ronda.analysis.csv_reading import CHUNK_BYTES, check_columns
from ronda.analysis.drop_reasons import NOT_JSON, NOT_UTF8, ROW_TOO_BIG
from ronda.analysis.errors import BrokenFile
from ronda.analysis.fitting import Piece, fit, schema_of
from ronda.analysis.limits import Limits
from ronda.analysis.opening import Opened
from ronda.analysis.questions.model import Column, TableNeed


def json_pieces(body: Opened, need: TableNeed, limits: Limits) -> Iterator[Piece]:
    columns: tuple[Column, ...] | None = need.columns or None
    for data, dropped in _lines(body, limits):
        if columns is None or need.columns:
            columns = columns or _first_columns(data, need)
        yield _parsed(data, dropped, columns, limits)
    if columns is None or not body.plain_bytes:
        raise BrokenFile("There is no JSON object in it.", hint="Send one object a line.")


def _first_columns(data: bytes, need: TableNeed) -> tuple[Column, ...]:
    """Where none were declared: the keys of the first object, all as text."""
    for line in io.BytesIO(data):
        found = as_object(line)
        if isinstance(found, dict):
            check_columns(list(found), need)
            return tuple(Column(name) for name in found)
    raise BrokenFile("There is no JSON object in it.", hint="Send one object a line.")


def _lines(body: Opened, limits: Limits) -> Iterator[tuple[bytes, dict[str, int]]]:
    """Whole lines, a chunk at a time."""
    rest, dropped = b"", dict[str, int]()
    while True:
        more = body.read(CHUNK_BYTES)
        data = rest + more
        end = data.rfind(b"\n") + 1 if more else len(data)
        if end:
            yield data[:end], dropped
            dropped = {}
        rest = data[end:]
        if not more:
            return
        if len(rest) > limits.max_row_bytes:
            dropped = {ROW_TOO_BIG: dropped.get(ROW_TOO_BIG, 0) + 1}
            rest = _past_the_line(body)


def _past_the_line(body: Opened) -> bytes:
    while data := body.read(CHUNK_BYTES):
        _, newline, rest = data.partition(b"\n")
        if newline:
            return rest
    return b""


def _parsed(data: bytes, dropped: dict[str, int], columns: tuple[Column, ...], limits: Limits) -> Piece:
    if not data.strip():
        return Piece(schema_of(columns).empty_table(), dropped)
    table = _read(data, columns)
    if table is not None:
        piece = fit(table, columns, max_field_bytes=limits.max_field_bytes)
        return Piece(piece.table, _sum(dropped, piece.dropped))
    records, more = [], dict(dropped)
    for line in io.BytesIO(data):
        if not line.strip():
            continue
        found = as_object(line)
        if isinstance(found, dict):
            records.append(found)
        else:
            more[found] = more.get(found, 0) + 1
    texts = pa.table(
        {column.name: [as_text(one.get(column.name)) for one in records] for column in columns},
        schema=pa.schema([(column.name, pa.string()) for column in columns]),
    )
    piece = fit(texts, columns, max_field_bytes=limits.max_field_bytes)
    return Piece(piece.table, _sum(more, piece.dropped))


def _read(data: bytes, columns: tuple[Column, ...]) -> pa.Table | None:
    """With Arrow's reader; None if a line is no object or a value not of its type."""
    try:
        return arrow_json.read_json(
            io.BytesIO(data),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=schema_of(columns), unexpected_field_behavior="ignore"
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def as_object(line: bytes) -> dict[str, Any] | str:
    """The object of a line, or why it is none."""
    try:
        found = json.loads(line)
    except UnicodeDecodeError:
        return NOT_UTF8
    except (ValueError, RecursionError):
        return NOT_JSON
    return found if isinstance(found, dict) else NOT_JSON


def as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _sum(one: dict[str, int], other: Any) -> dict[str, int]:
    return {reason: one.get(reason, 0) + other.get(reason, 0) for reason in {**one, **other}}
