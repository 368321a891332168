"""Pages of revisions, with a filter on every attribute."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import duckdb

from ronda.errors import InvalidInput
from ronda.http.paging import Page, PageRequest
from ronda.wiki.filters import Condition, condition_of, read_filters
from ronda.wiki.filters import taken as taken_filters
from ronda.wiki.pipeline.collections import REVISIONS
from ronda.wiki.pipeline.kinds import BOOLEAN, MOMENT, NUMBER, TEXT

COLUMNS = tuple(member.name for member in REVISIONS.members)
# Those that the metrics do not know; `tags` is another word for `tag`.
_OWN = tuple(
    member
    for member in REVISIONS.members
    if member.name not in ("wiki", "title", "pageid", "user", "userid", "size", "tags")
)
SORTABLE = tuple(name for name in COLUMNS if name != "tags")
FILTERS = (*(member.name for member in _OWN), "tags")
DEFAULT_SORT = "revid"
_YES, _NO = {"1", "true", "yes"}, {"0", "false", "no"}


def revisions(
    lake: duckdb.DuckDBPyConnection,
    given: Mapping[str, Any],
    wanted: PageRequest,
    *,
    wikis: tuple[str, ...] | None = None,
    with_text: bool = False,
) -> Page[dict[str, Any]]:
    """Parameters that are not on the list are ignored."""
    where = condition(given, wikis=wikis)
    sort, order = _order(wanted)
    total = lake.execute(f"SELECT count(*) FROM revisions WHERE {where.sql}", where.values).fetchone()
    columns = ", ".join(f's."{name}"' for name in COLUMNS)
    # The page first, texts afterwards: they are read for so many rows only.
    rows = lake.execute(
        f"SELECT {columns}{', t.text' if with_text else ''} FROM (SELECT * FROM revisions WHERE {where.sql}"
        f" ORDER BY {order} LIMIT $page_size OFFSET $offset) AS s"
        f"{' LEFT JOIN texts AS t ON t.sha1 = s.sha1' if with_text else ''} ORDER BY {order}",
        {**where.values, "page_size": wanted.page_size, "offset": (wanted.page - 1) * wanted.page_size},
    ).fetchall()
    names = (*COLUMNS, "text") if with_text else COLUMNS
    items = [_document(dict(zip(names, row, strict=True))) for row in rows]
    return Page(items, wanted.page, wanted.page_size, int(total[0]) if total else 0, sort)


def condition(given: Mapping[str, Any], *, wikis: tuple[str, ...] | None = None) -> Condition:
    filters = taken_filters(given)
    tag = given.get("tags") or filters.get("tag")
    where = condition_of(read_filters({**filters, **({"tag": str(tag)} if tag else {})}, wikis=wikis))
    parts, values = [where.sql], dict(where.values)
    for member in _OWN:
        value = given.get(member.name)
        if value in (None, ""):
            continue
        if member.kind == MOMENT:
            parts.append(_at(member.name, str(value), values))
        else:
            values[member.name] = _read(member.name, member.kind, str(value))
            parts.append(f'"{member.name}" = ${member.name}')
    return Condition(" AND ".join(parts), values)


def _order(wanted: PageRequest) -> tuple[str, str]:
    sort = wanted.sort or DEFAULT_SORT
    name = sort.removeprefix("-")
    if name not in SORTABLE:
        raise InvalidInput(
            f"Cannot sort by “{name[:60]}”; choose from {', '.join(sorted(SORTABLE))}.", field="sort"
        )
    falls = "DESC NULLS LAST" if sort.startswith("-") else "ASC NULLS FIRST"
    # Several revisions of one second stand in the wiki's own order, or in its reverse.
    ties = "".join(f", {key} {falls}" for key in ("revid", "wiki") if key != name)
    return sort, f'"{name}" {falls}{ties}'


def _read(name: str, kind: object, value: str) -> Any:
    if kind == NUMBER:
        if not re.fullmatch(r"[+-]?\d{1,18}", value.strip()):
            raise InvalidInput(f"{name} is a whole number, not “{value[:40]}”.", field=name)
        return int(value)
    if kind == BOOLEAN:
        if value.lower() not in _YES | _NO:
            raise InvalidInput(f"{name} is true or false.", field=name)
        return value.lower() in _YES
    if kind == TEXT and (len(value) > 1_000 or "\0" in value):
        raise InvalidInput(f"{name} has at most 1,000 characters, and no NUL.", field=name)
    return value


def _at(name: str, value: str, values: dict[str, Any]) -> str:
    """A whole day as YYYY-MM-DD, or a moment as ISO 8601 has it."""
    try:
        if len(value) == 10:
            day = date.fromisoformat(value)
            start = datetime(day.year, day.month, day.day)  # noqa: DTZ001
            values |= {f"{name}_from": start, f"{name}_to": start + timedelta(days=1)}
            return f'"{name}" >= ${name}_from AND "{name}" < ${name}_to'
        moment = datetime.fromisoformat(value)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{name} is a day (YYYY-MM-DD) or a moment (YYYY-MM-DDTHH:MM:SS), not “{value[:40]}”.", field=name
        ) from None
    values[name] = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return f'"{name}" = ${name}'


def _document(row: dict[str, Any]) -> dict[str, Any]:
    """As the document prints it: dates without a zone."""
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in row.items()}
