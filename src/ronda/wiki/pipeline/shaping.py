"""Rows become documents again: with the user's own names, and without what is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from ronda.wiki.pipeline.kinds import Choice, Document, Kind, ListOf, Member


def document_of(row: Sequence[Any], members: Sequence[Member]) -> dict[str, Any]:
    return {
        member.name: shaped(value, member.kind)
        for member, value in zip(members, row, strict=False)
        if value is not None or not member.is_missing_when_null
    }


def shaped(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    match kind:
        case ListOf(item=item):
            return [shaped(each, item) for each in value]
        case Document(members=members):
            return document_of([value[f"f{place}"] for place in range(len(members))], members)
        case Choice(values=values):
            return plain(values[value])
    return plain(value)


def plain(value: Any) -> Any:
    """As JSON has it: dates as the document prints them, and no infinities."""
    match value:
        case datetime():
            return value.isoformat()
        case float() if not math.isfinite(value):
            return None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
    return value
