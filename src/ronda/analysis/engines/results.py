"""Results of different engines in the same few types, so that equal answers are equal."""

from __future__ import annotations

import pyarrow as pa


def levelled(table: pa.Table) -> pa.Table:
    """Whole numbers as int64, other numbers as double, text as string, times in microseconds without a zone."""
    columns = [_cast(column, _level(column.type)) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _level(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0):
        return pa.int64()
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us")
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.list_(_level(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, _level(field.type)) for field in kind])
    return kind


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    try:
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # A sum beyond 64 bits, or a type there is no cast for.
        return pa.chunked_array([pa.array([None if one is None else str(one) for one in column.to_pylist()])])
