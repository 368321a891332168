"""Columns of a table nobody declared: told by the beginning of its file."""

from __future__ import annotations

import io
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pyarrow as pa

from ronda.analysis.csv_reading import layout_of, parse_rows
from ronda.analysis.csv_rows import whole_rows
from ronda.analysis.fitting import fit
from ronda.analysis.formats import Format
from ronda.analysis.json_reading import as_object, as_text
from ronda.analysis.limits import Limits
from ronda.analysis.opening import opened
from ronda.analysis.questions.model import Column, TableNeed

LOOKED_AT_BYTES = 2 << 20
LOOKED_AT_LINES = 5_000
# So large a share of a column must be of a type; what is not will be counted as dropped.
MOST = 0.98
TYPES = ("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")


def declared(need: TableNeed, path: Path) -> TableNeed:
    """The need with columns, if it had none and the file is text; Parquet and Arrow bring their own."""
    if need.columns:
        return need
    with opened(path, format=None, packing=None, limits=Limits()) as body:
        if body.format not in (Format.CSV, Format.NDJSON):
            return need
        data = body.read(LOOKED_AT_BYTES)
    texts = _csv(data, need) if body.format is Format.CSV else _json(data)
    return replace(need, columns=tuple(Column(name, _type(texts[name])) for name in texts.column_names))


def _csv(data: bytes, need: TableNeed) -> pa.Table:
    head, _, rest = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    layout, limits = layout_of(head, need, Limits()), Limits()
    cut = whole_rows(rest, is_last=len(data) < LOOKED_AT_BYTES, delimiter=layout.delimiter.encode())
    return parse_rows(cut.rows, {}, layout, limits).table


def _json(data: bytes) -> pa.Table:
    found = [as_object(line) for line in islice(io.BytesIO(data), LOOKED_AT_LINES)]
    records = [one for one in found if isinstance(one, dict)]
    names = dict.fromkeys(name for one in records for name in one)
    return pa.table(
        {name: pa.array([as_text(one.get(name)) for one in records], pa.string()) for name in names}
    )


def _type(texts: pa.ChunkedArray) -> str:
    """The first type that nearly all values have."""
    there = texts.drop_null()
    if not len(there):
        return "VARCHAR"
    table = pa.table({"value": there})
    for kind in TYPES:
        kept = fit(table, (Column("value", kind),), max_field_bytes=LOOKED_AT_BYTES).table.num_rows
        if kept >= MOST * len(there):
            return kind
    return "VARCHAR"
