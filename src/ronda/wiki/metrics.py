"""The document's three metrics: how many revisions pass the filters, how many a day, what is most frequent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from ronda.errors import InvalidInput
from ronda.wiki.filters import Filters, condition_of, read_interval

MAX_TIES = 1_000

# attribute → what is counted, and whether it means something within one wiki only.
ATTRIBUTES = {
    "title": ("title", True),
    "pageid": ("pageid", True),
    "user": ('"user"', False),
    "userid": ("userid", True),
    "date": ('CAST("timestamp" AS DATE)', False),
    "size": ("size", False),
}


@dataclass(frozen=True)
class Mean:
    mean: float
    count: int
    days: int


@dataclass(frozen=True)
class Mode:
    """`values` are all that are as frequent as any; `wikis` stands beside them where ids repeat between wikis."""

    values: list[Any]
    count: int
    wikis: list[str] | None
    is_cut: bool = False


def count(lake: duckdb.DuckDBPyConnection, filters: Filters) -> int:
    where = condition_of(filters)
    row = lake.execute(f"SELECT count(*) FROM revisions WHERE {where.sql}", where.values).fetchone()
    return int(row[0]) if row else 0


def mean(lake: duckdb.DuckDBPyConnection, filters: Filters) -> Mean:
    """Revisions a day of the interval, days without any counted as well."""
    start, end = read_interval(filters)
    found = count(lake, filters)
    days = (end - start).days + 1
    return Mean(found / days, found, days)


def mode(lake: duckdb.DuckDBPyConnection, filters: Filters, attribute: str) -> Mode:
    check_attribute(attribute)
    counted, is_of_wiki = ATTRIBUTES[attribute]
    where = condition_of(filters)
    keys = f"wiki, {counted}" if is_of_wiki else counted
    # What a wiki hides (NULL) is not one value.
    rows = lake.execute(
        f"WITH counted AS (SELECT {counted} AS value, count(*) AS n{', wiki' if is_of_wiki else ''} FROM revisions"
        f" WHERE {where.sql} AND {counted} IS NOT NULL GROUP BY {keys})"
        " SELECT * FROM counted WHERE n = (SELECT max(n) FROM counted) ORDER BY value LIMIT 1001",
        where.values,
    ).fetchall()
    shown = rows[:MAX_TIES]
    return Mode(
        values=[_plain(row[0]) for row in shown],
        count=int(rows[0][1]) if rows else 0,
        wikis=[row[2] for row in shown] if is_of_wiki else None,
        is_cut=len(rows) > MAX_TIES,
    )


def check_attribute(attribute: str) -> None:
    if attribute not in ATTRIBUTES:
        raise InvalidInput(f"attribute is one of {', '.join(ATTRIBUTES)}.", field="attribute")


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
