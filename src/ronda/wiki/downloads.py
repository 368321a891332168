"""Any result as JSON, CSV or Parquet: by `format`, or by what the Accept header prefers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from django.http import HttpRequest, HttpResponse

Format = Literal["json", "csv", "parquet"]
TYPES: dict[str, Format] = {
    "application/json": "json",
    "text/csv": "csv",
    "application/vnd.apache.parquet": "parquet",
}
# A spreadsheet takes what begins like this for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def wanted_format(request: HttpRequest, said: Format | None) -> Format:
    if said:
        return said
    preferred = request.get_preferred_type(list(TYPES))
    return TYPES.get(preferred or "", "json")


def download(rows: Sequence[Mapping[str, Any]], kind: Format, *, name: str) -> HttpResponse:
    content_type = next(each for each, format_ in TYPES.items() if format_ == kind)
    body = as_csv(rows).encode() if kind == "csv" else as_parquet(rows)
    response = HttpResponse(
        body, content_type=f"{content_type}; charset=utf-8" if kind == "csv" else content_type
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    return response


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """All names of all rows, in the order they come up: a missing field is left out of a document."""
    return list(dict.fromkeys(name for row in rows for name in row))


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = columns_of(rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([_cell(name) for name in columns])
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def as_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    columns = columns_of(rows) or ["nothing"]
    arrays = [_column([row.get(name) for row in rows]) for name in columns]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, names=columns), buffer, compression="zstd")
    return buffer.getvalue()


def _column(values: list[Any]) -> pa.Array:
    try:
        found = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        found = pa.array([None if value is None else _text(value) for value in values])
    # Documents without a field cannot be written.
    return found.cast(pa.string()) if pa.types.is_null(found.type) else _writable(found, values)


def _writable(found: pa.Array, values: list[Any]) -> pa.Array:
    if "struct<>" in str(found.type):
        return pa.array([None if value is None else _text(value) for value in values])
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
