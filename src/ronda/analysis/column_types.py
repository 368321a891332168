"""Types of columns: DuckDB's names on one side, Arrow's on the other."""

from __future__ import annotations

import re
from functools import cache

import pyarrow as pa

_SCALARS: dict[str, pa.DataType] = {
    "VARCHAR": pa.string(),
    "TEXT": pa.string(),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us"),
}
_STRUCT = re.compile(r"STRUCT\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(r'\s*(?:"([^"]+)"|(\w+))\s+(.+)', re.DOTALL)
_DECIMAL = re.compile(r"DECIMAL\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", re.IGNORECASE)


def is_known(name: str) -> bool:
    try:
        arrow_type(name)
    except ValueError:
        return False
    return True


@cache
def arrow_type(name: str) -> pa.DataType:
    """Arrow's type for one of ours; ValueError for what we do not take."""
    name = name.strip()
    if name.endswith("[]"):
        return pa.list_(arrow_type(name[:-2]))
    if name.upper() in _SCALARS:
        return _SCALARS[name.upper()]
    if found := _DECIMAL.fullmatch(name):
        precision, scale = int(found[1]), int(found[2])
        if not 1 <= precision <= 38 or scale > precision:
            raise ValueError(f"no such type: {name}")
        return pa.decimal128(precision, scale)
    return pa.struct([pa.field(field, arrow_type(kind)) for field, kind in struct_fields(name)])


@cache
def struct_fields(name: str) -> tuple[tuple[str, str], ...]:
    """Names and types of a STRUCT's fields."""
    whole = _STRUCT.fullmatch(name.strip())
    if not whole:
        raise ValueError(f"no such type: {name}")
    found = [_FIELD.fullmatch(part) for part in _parts(whole[1])]
    if not all(found):
        raise ValueError(f"no such type: {name}")
    return tuple((field[1] or field[2], field[3].strip()) for field in found if field)


def _parts(text: str) -> list[str]:
    """Split at the commas that stand in no parentheses."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def name_of(kind: pa.DataType) -> str:
    """Our name for Arrow's type; what we have no name for is text."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"{name_of(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        fields = ", ".join(f'"{field.name}" {name_of(field.type)}' for field in kind)
        return f"STRUCT({fields})"
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if pa.types.is_boolean(kind):
        return "BOOLEAN"
    if pa.types.is_integer(kind):
        return "BIGINT"
    if pa.types.is_floating(kind):
        return "DOUBLE"
    if pa.types.is_date(kind):
        return "DATE"
    return "TIMESTAMP" if pa.types.is_timestamp(kind) else "VARCHAR"


def name_for_spark(name: str) -> str:
    """Spark's name for one of ours."""
    if name.endswith("[]"):
        return f"array<{name_for_spark(name[:-2])}>"
    names = {"VARCHAR": "string", "TEXT": "string", "INTEGER": "int"}
    return names.get(name.upper(), name.lower())
