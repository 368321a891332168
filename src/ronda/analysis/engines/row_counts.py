"""How many rows an answer used and dropped, by table and reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow.parquet as pq

from ronda.analysis.engines.contract import Segments
from ronda.analysis.errors import FailedSql
from ronda.analysis.questions.model import Question

Counts = tuple[dict[str, int], dict[str, dict[str, int]]]


def counted(question: Question, tables: Segments, select: Callable[[str], list[dict[str, Any]]]) -> Counts:
    """As the question counts itself; where it does not, every row of its tables was used."""
    names = {need.name for need in question.tables}
    present = {name: _rows_of(tables, name) for name in names if tables.get(name)}
    used: dict[str, int] = {}
    dropped: dict[str, dict[str, int]] = {}
    if question.rows_sql:
        for row in select(question.rows_sql):
            _add(row, used, dropped, question)
    for name, count in present.items():
        used.setdefault(name, count - sum(dropped.get(name, {}).values()))
    return dict(sorted(used.items())), {name: dict(sorted(dropped[name].items())) for name in sorted(dropped)}


def _add(
    row: Mapping[str, Any], used: dict[str, int], dropped: dict[str, dict[str, int]], question: Question
) -> None:
    """What was dropped is taken off what was there; a table that is no segment says itself what it used."""
    try:
        table, reason, count = str(row["table"]), row["reason"], int(row["rows"] or 0)
    except (KeyError, ValueError, TypeError):
        raise FailedSql(
            f"The rows part of {question.name} must give the columns table, reason and rows."
        ) from None
    if reason is None:
        used[table] = count
    elif count:
        own = dropped.setdefault(table, {})
        own[str(reason)] = own.get(str(reason), 0) + count


def _rows_of(tables: Segments, name: str) -> int:
    return sum(pq.read_metadata(path).num_rows for path in tables.get(name, ()))
