"""From columns as they came to columns as they were declared; what does not fit is left out and counted, by reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ronda.analysis.column_types import arrow_type
from ronda.analysis.drop_reasons import (
    NOT_A_DATE,
    NOT_A_LIST,
    NOT_A_NUMBER,
    NOT_TRUE_OR_FALSE,
    NOT_UTF8,
    TOO_BIG,
    WRONG_TYPE,
)
from ronda.analysis.literals import fitted, parsed
from ronda.analysis.questions.model import Column

_PATTERNS = {
    "whole": r"^[+-]?[0-9]{1,19}$",
    "day": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    "number": r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$",
}
REMEMBERED_CHARACTERS = 400
_WORDS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Piece:
    """Rows that fit, and how many before, between and behind them did not."""

    table: pa.Table
    dropped: Mapping[str, int] = field(default_factory=dict)


def schema_of(columns: tuple[Column, ...]) -> pa.Schema:
    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in columns])


def fit(table: pa.Table, columns: tuple[Column, ...], *, max_field_bytes: int) -> Piece:
    """Every declared column in its type; columns that are not there are empty."""
    schema = schema_of(columns)
    kept, dropped = table, dict[str, int]()
    done: dict[str, pa.ChunkedArray] = {}
    for column in columns:
        if column.name not in table.column_names:
            done[column.name] = pa.chunked_array([pa.nulls(kept.num_rows, arrow_type(column.type))])
            continue
        values, reasons = _converted(kept[column.name].combine_chunks(), column.type, max_field_bytes)
        if reasons is not None:
            is_good = pc.is_null(reasons)
            for reason in pc.value_counts(reasons.filter(pc.invert(is_good))).to_pylist():
                dropped[reason["values"]] = dropped.get(reason["values"], 0) + reason["counts"]
            kept, values = kept.filter(is_good), values.filter(is_good)
            done = {name: one.filter(is_good) for name, one in done.items()}
        done[column.name] = values
    return Piece(pa.table([done[column.name] for column in columns], schema=schema), dropped)


def _converted(values: pa.Array, kind: str, max_field_bytes: int) -> tuple[pa.Array, pa.Array | None]:
    """The values in their type, and for each why it does not fit (null: it does); None where all do."""
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    wanted = arrow_type(kind)
    if not (_is_text(values.type) or _is_bytes(values.type)):
        return _cast(values, wanted, kind)
    texts, reasons = _texts(values, max_field_bytes)
    if wanted == pa.string():
        return texts, reasons
    found, more = _from_text(texts, wanted, kind)
    return found, more if reasons is None else reasons if more is None else pc.coalesce(reasons, more)


def _texts(values: pa.Array, max_field_bytes: int) -> tuple[pa.Array, pa.Array | None]:
    """Text that is UTF-8 and not too big; an empty one is none."""
    reasons = None
    if _is_bytes(values.type):
        try:
            values = values.cast(pa.string())
        except pa.ArrowInvalid:
            raw = values.to_pylist()
            decoded = [_decoded(one) for one in raw]
            reasons = pa.array(
                [
                    NOT_UTF8 if a is not None and b is None else None
                    for a, b in zip(raw, decoded, strict=True)
                ],
                pa.string(),
            )
            values = pa.array(decoded, pa.string())
    values = values.cast(pa.string())
    sizes = pc.binary_length(values)
    if len(values) and (pc.max(sizes).as_py() or 0) > max_field_bytes:
        is_big = pc.fill_null(pc.greater(sizes, max_field_bytes), False)
        big = pc.if_else(is_big, TOO_BIG, pa.scalar(None, pa.string()))
        reasons = big if reasons is None else pc.coalesce(reasons, big)
    if len(values) and pc.any(pc.equal(sizes, 0)).as_py():
        values = pc.if_else(pc.equal(sizes, 0), pa.scalar(None, pa.string()), values)
    return values, reasons


def _decoded(value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return None


def _from_text(texts: pa.Array, wanted: pa.DataType, kind: str) -> tuple[pa.Array, pa.Array | None]:
    if pa.types.is_nested(wanted):
        return _by_distinct(texts, wanted, kind, NOT_A_LIST)
    trimmed = pc.utf8_trim_whitespace(texts)
    if pa.types.is_integer(wanted) or pa.types.is_floating(wanted):
        pattern = _PATTERNS["whole" if pa.types.is_integer(wanted) else "number"]
        is_number = pc.match_substring_regex(trimmed, pattern)
        numbers = pc.replace_substring_regex(pc.if_else(is_number, trimmed, None), r"^\+", "")
        try:
            found = numbers.cast(wanted)
        except pa.ArrowInvalid:  # One of 19 digits that is too big: rare enough to look at each.
            return _by_distinct(trimmed, wanted, kind, NOT_A_NUMBER)
        if pa.types.is_floating(wanted):
            found = pc.if_else(pc.is_finite(found), found, pa.scalar(None, wanted))
        return found, _reasons(texts, found, NOT_A_NUMBER)
    if pa.types.is_date(wanted):
        # What looks otherwise is none to Arrow; so one bad row does not make all others be looked at one by one.
        days = pc.if_else(pc.match_substring_regex(trimmed, _PATTERNS["day"]), trimmed, None)
        try:
            found = days.cast(wanted)
        except pa.ArrowInvalid:  # A 30th of February.
            return _by_distinct(trimmed, wanted, kind, NOT_A_DATE)
        return found, _reasons(texts, found, NOT_A_DATE)
    return _by_distinct(trimmed, wanted, kind, _reason_of(wanted))


def _by_distinct(
    texts: pa.Array, wanted: pa.DataType, kind: str, reason: str
) -> tuple[pa.Array, pa.Array | None]:
    """Each distinct text once: columns like these repeat themselves."""
    encoded = texts.dictionary_encode()
    distinct = [
        (_remembered if text is not None and len(text) <= REMEMBERED_CHARACTERS else _one)(text, wanted, kind)
        for text in encoded.dictionary.to_pylist()
    ]
    found = pa.array(distinct, wanted).take(encoded.indices)
    return found, _reasons(texts, found, reason)


@lru_cache(maxsize=50_000)
def _remembered(text: str, wanted: pa.DataType, kind: str) -> Any:
    """From chunk to chunk the same few lists come again."""
    return _one(text, wanted, kind)


def _one(text: str, wanted: pa.DataType, kind: str) -> Any:
    try:
        if pa.types.is_nested(wanted):
            return fitted(parsed(text), kind)
        if pa.types.is_boolean(wanted):
            return _WORDS.get(text.lower())
        if pa.types.is_integer(wanted):
            return fitted(int(text), kind)
        return pa.scalar(text).cast(wanted).as_py()
    except (ValueError, TypeError, pa.ArrowException):
        return None


def _cast(values: pa.Array, wanted: pa.DataType, kind: str) -> tuple[pa.Array, pa.Array | None]:
    """What came with a type of its own, from Parquet or Arrow."""
    if pa.types.is_floating(values.type) and not pa.types.is_nested(wanted):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, values.type), values)
    try:
        return values.cast(wanted), None
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    if pa.types.is_nested(wanted) or pa.types.is_nested(values.type):
        found = pa.array([_nested(one, kind) for one in values.to_pylist()], wanted)
        return found, _reasons(values, found, NOT_A_LIST if pa.types.is_nested(wanted) else WRONG_TYPE)
    found = pa.array([_cast_one(one, wanted) for one in values], wanted)
    return found, _reasons(values, found, _reason_of(wanted))


def _nested(value: Any, kind: str) -> Any:
    try:
        return fitted(value, kind)
    except ValueError:
        return None


def _cast_one(value: pa.Scalar, wanted: pa.DataType) -> Any:
    try:
        return value.cast(wanted).as_py()
    except pa.ArrowException:
        return None


def _reasons(before: pa.Array, after: pa.Array, reason: str) -> pa.Array | None:
    """Where something came and nothing is left of it."""
    if before.null_count == after.null_count:
        return None
    is_lost = pc.and_(pc.is_valid(before), pc.is_null(after))
    return pc.if_else(is_lost, reason, pa.scalar(None, pa.string()))


def _reason_of(wanted: pa.DataType) -> str:
    if pa.types.is_boolean(wanted):
        return NOT_TRUE_OR_FALSE
    if pa.types.is_date(wanted) or pa.types.is_timestamp(wanted):
        return NOT_A_DATE
    return NOT_A_NUMBER if pa.types.is_primitive(wanted) or pa.types.is_decimal(wanted) else WRONG_TYPE


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))
