"""Answers from JSON back into Arrow tables, with the types the server's engine gave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

_TYPES: dict[str, pa.DataType] = {
    "int64": pa.int64(),
    "double": pa.float64(),
    "string": pa.string(),
    "bool": pa.bool_(),
    "date32[day]": pa.date32(),
    "timestamp[us]": pa.timestamp("us"),
}
# Written as texts: JSON has no dates.
_AS_TEXT = ("date32[day]", "timestamp[us]")


def table_of(columns: Sequence[Mapping[str, str]], rows: Sequence[Sequence[Any]]) -> pa.Table:
    arrays = [_array(column["type"], [row[place] for row in rows]) for place, column in enumerate(columns)]
    return pa.Table.from_arrays(arrays, names=[column["name"] for column in columns])


def _array(kind: str, values: list[Any]) -> pa.Array:
    wanted = _TYPES.get(kind)
    if kind in _AS_TEXT:
        return pa.array(values, pa.string()).cast(wanted)
    # Lists and structures say themselves what is in them.
    return pa.array(values, wanted)
