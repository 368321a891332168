"""One body or file becomes one Parquet segment with exactly the declared columns; every row is kept or counted.

The same bytes give the same rows, wherever a table was cut into batches, as long as it was cut between rows: what
becomes of a row depends on nothing but its own bytes and the header.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ronda.analysis.column_types import name_of
from ronda.analysis.errors import BrokenFile
from ronda.analysis.fitting import Piece
from ronda.analysis.formats import Format, Packing
from ronda.analysis.limits import Limits
from ronda.analysis.opening import Opened, opened
from ronda.analysis.questions.model import Column, TableNeed

ROW_GROUP_BYTES = 16 << 20


@dataclass(frozen=True)
class Taken:
    """What became of a body."""

    rows_read: int
    rows_kept: int
    dropped: Mapping[str, int]
    # Those of the segment: the declared ones, or where none were declared those of the file.
    columns: tuple[Column, ...] = ()
    plain_bytes: int = 0
    segment_bytes: int = 0


@dataclass
class _Tally:
    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def add(self, piece: Piece) -> None:
        self.kept += piece.table.num_rows
        for reason, count in piece.dropped.items():
            self.dropped[reason] = self.dropped.get(reason, 0) + count


def take_in(
    source: Path | BinaryIO,
    need: TableNeed,
    segment: Path,
    *,
    format: Format | None = None,
    packing: Packing | None = None,
    limits: Limits | None = None,
    threads: int = 1,
    is_durable: bool = True,
    on_bytes: Callable[[int], None] | None = None,
) -> Taken:
    """Write the segment, whole and (is_durable) fsynced, or raise and leave none. on_bytes hears of what is read."""
    limits, tally = limits or Limits(), _Tally()
    try:
        with opened(source, format=format, packing=packing, limits=limits, on_bytes=on_bytes) as body:
            schema = _write(body, need, segment, limits, threads, tally)
            if is_durable:
                _sync(segment)
            plain_bytes = body.plain_bytes
    except BaseException:
        segment.unlink(missing_ok=True)
        raise
    return Taken(
        rows_read=tally.kept + sum(tally.dropped.values()),
        rows_kept=tally.kept,
        dropped=dict(sorted(tally.dropped.items())),
        columns=need.columns or tuple(Column(one.name, name_of(one.type)) for one in schema),
        plain_bytes=plain_bytes,
        segment_bytes=segment.stat().st_size,
    )


def _write(
    body: Opened, need: TableNeed, segment: Path, limits: Limits, threads: int, tally: _Tally
) -> pa.Schema:
    with ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        file = stack.enter_context(segment.open("wb"))
        waiting: list[pa.Table] = []
        for piece in pieces(body, need, limits, threads):
            if writer is None:
                # A footer is written even if what follows fails; the file is removed then.
                schema = piece.table.schema
                writer = stack.enter_context(pq.ParquetWriter(file, schema, **_ways_to_write(schema)))
            tally.add(piece)
            waiting.append(piece.table)
            if sum(table.nbytes for table in waiting) >= ROW_GROUP_BYTES:
                writer.write_table(pa.concat_tables(waiting))
                waiting.clear()
        if writer is None:
            raise BrokenFile("The body is empty.", hint="Send at least a header.")
        if any(table.num_rows for table in waiting):
            writer.write_table(pa.concat_tables(waiting))
        return writer.schema


def _ways_to_write(schema: pa.Schema) -> dict[str, Any]:
    """Whole numbers as differences, which is quickest and smallest; what is text is packed."""
    if any(pa.types.is_nested(field.type) for field in schema):
        return {"compression": "snappy"}
    whole = [field.name for field in schema if pa.types.is_integer(field.type)]
    return {
        "use_dictionary": [field.name for field in schema if field.name not in whole] or False,
        "column_encoding": dict.fromkeys(whole, "DELTA_BINARY_PACKED") or None,
        "compression": {
            field.name: "snappy" if pa.types.is_string(field.type) else "none" for field in schema
        },
    }


def _sync(segment: Path) -> None:
    with segment.open("rb") as file:
        os.fsync(file.fileno())


def pieces(body: Opened, need: TableNeed, limits: Limits, threads: int) -> Iterator[Piece]:
    """The rows that fit, in their order, and how many did not; at least one piece, if there is a header or schema."""
    if body.format is Format.CSV:
        from ronda.analysis.csv_reading import csv_pieces

        return csv_pieces(body, need, limits, threads)
    if body.format is Format.NDJSON:
        from ronda.analysis.json_reading import json_pieces

        return json_pieces(body, need, limits)
    from ronda.analysis.record_reading import record_pieces

    return record_pieces(body, need, limits)
