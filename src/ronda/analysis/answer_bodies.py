"""An answer as bytes: canonical JSON, so that equal answers are equal bytes, whoever computed them and when."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

from ronda.analysis.errors import AnswerTooLarge

MOST_BYTES = 64 * 1024**2


@dataclass(frozen=True)
class Body:
    columns: list[dict[str, str]]
    packed: bytes
    digest: str


def body_of(table: pa.Table) -> Body:
    columns = [{"name": field.name, "type": str(field.type)} for field in table.schema]
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    text = json.dumps(
        [[plain(value) for value in row] for row in rows], ensure_ascii=False, separators=(",", ":")
    )
    raw = text.encode()
    if len(raw) > MOST_BYTES:
        raise AnswerTooLarge()
    # No time of writing in it: the same answer packs to the same bytes.
    return Body(columns, gzip.compress(raw, 5, mtime=0), hashlib.sha256(raw).hexdigest())


def rows_of(packed: bytes | memoryview) -> list[list[Any]]:
    found: list[list[Any]] = json.loads(gzip.decompress(bytes(packed))) if packed else []
    return found


def plain(value: Any) -> Any:
    """As JSON has it: no number that is none, moments as ISO 8601 writes them, decimals in full."""
    match value:
        case float() if not math.isfinite(value):
            return None
        case list() | tuple():
            return [plain(one) for one in value]
        case dict():
            return {str(name): plain(one) for name, one in value.items()}
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Decimal():
            return int(value) if value == value.to_integral_value() else str(value)
        case bytes():
            return value.hex()
    return value
