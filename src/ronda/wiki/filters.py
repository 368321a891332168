"""Which revisions a metric is about: the document's filters, read from what a client sent. Pure.

Parameters that are not on the list are ignored, as the document has it; a value that cannot be read is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from ronda.errors import InvalidInput

# `wiki`, `locale` and `api` are ours: ids of pages and people repeat between wikis.
NAMES = (
    *("title", "pageid", "user", "userid", "tag", "size", "sizematch"),
    *("date", "datestart", "dateend", "wiki", "locale", "api"),
)
MAX_TEXT = 500
_WHOLE = re.compile(r"[+-]?\d{1,18}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

Day = date


@dataclass(frozen=True)
class Filters:
    """Days are UTC, and both ends of an interval count. `wikis`: only of these; None: of all."""

    title: str | None = None
    pageid: int | None = None
    user: str | None = None
    userid: int | None = None
    tag: str | None = None
    size: int | None = None
    sizematch: int = 0
    date: Day | None = None
    datestart: Day | None = None
    dateend: Day | None = None
    wikis: tuple[str, ...] | None = None


def taken(given: Mapping[str, Any], *more: str) -> dict[str, str]:
    """What is on the white list and says something; the rest is ignored."""
    return {
        name: str(given[name]) for name in (*NAMES, *more) if name in given and given[name] not in (None, "")
    }


def read_filters(
    given: Mapping[str, str],
    *,
    today: date | None = None,
    wikis: tuple[str, ...] | None = None,
    is_date_beside_interval: bool = False,
) -> Filters:
    """`is_date_beside_interval`: for /avg, whose interval is what it divides by."""
    today = today or datetime.now(UTC).date()
    start, end, day = (_day(given, name) for name in ("datestart", "dateend", "date"))
    if day and (start or end) and not is_date_beside_interval:
        raise InvalidInput("Say either date or an interval of datestart and dateend, not both.", field="date")
    if start and not end:
        end = max(start, today)
    if start and end and end < start:
        raise InvalidInput("dateend lies before datestart.", field="dateend")
    if "sizematch" in given and "size" not in given:
        raise InvalidInput("sizematch says how to compare with size: send size, too.", field="size")
    title = _text(given, "title")
    return Filters(
        # As addresses have it: a title never holds an underscore.
        title=title.replace("_", " ").strip() if title else None,
        pageid=_number(given, "pageid"),
        user=_text(given, "user"),
        userid=_number(given, "userid"),
        tag=_text(given, "tag"),
        size=_number(given, "size"),
        sizematch=_number(given, "sizematch") or 0,
        date=day,
        datestart=start,
        dateend=end,
        wikis=wikis,
    )


def read_interval(filters: Filters) -> tuple[date, date]:
    """Both ends, which /avg needs."""
    for name, value in (("datestart", filters.datestart), ("dateend", filters.dateend)):
        if value is None:
            raise InvalidInput(f"{name} is required here: a day as YYYY-MM-DD.", field=name)
    assert filters.datestart is not None  # noqa: S101  (just looked at)
    assert filters.dateend is not None  # noqa: S101
    return filters.datestart, filters.dateend


def _text(given: Mapping[str, str], name: str) -> str | None:
    value = given.get(name)
    if value is None:
        return None
    if len(value) > MAX_TEXT or "\0" in value:
        raise InvalidInput(f"{name} has at most {MAX_TEXT} characters, and no NUL.", field=name)
    return value


def _number(given: Mapping[str, str], name: str) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if not _WHOLE.fullmatch(value.strip()):
        raise InvalidInput(f"{name} is a whole number, not “{value[:40]}”.", field=name)
    return int(value)


def _day(given: Mapping[str, str], name: str) -> date | None:
    value = given.get(name)
    if value is None:
        return None
    try:
        if not _DAY.fullmatch(value):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise InvalidInput(f"{name} is a day as YYYY-MM-DD, not “{value[:40]}”.", field=name) from None


@dataclass(frozen=True)
class Condition:
    """What follows WHERE, and what is bound to it."""

    sql: str
    values: dict[str, Any]


def condition_of(filters: Filters) -> Condition:
    parts: list[str] = []
    values: dict[str, Any] = {}

    def add(sql: str, name: str, value: Any) -> None:
        parts.append(sql)
        values[name] = value

    for name in ("title", "pageid", "user", "userid"):
        if (value := getattr(filters, name)) is not None:
            add(f'"{name}" = ${name}', name, value)
    if filters.tag is not None:
        add("list_contains(tags, $tag)", "tag", filters.tag)
    if filters.size is not None:
        sign = ">" if filters.sizematch > 0 else "<" if filters.sizematch < 0 else "="
        add(f"size {sign} $size", "size", filters.size)
    if filters.wikis is not None:
        add("list_contains($wikis, wiki)", "wikis", list(filters.wikis))
    for name, first, last in (
        ("date", filters.date, filters.date),
        ("interval", filters.datestart, filters.dateend),
    ):
        if first is not None:
            add(f'"timestamp" >= ${name}_start', f"{name}_start", _midnight(first))
        if last is not None:
            add(f'"timestamp" < ${name}_end', f"{name}_end", _midnight(last) + timedelta(days=1))
    return Condition(" AND ".join(parts) or "TRUE", values)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  (times in the lake are UTC without a zone)
