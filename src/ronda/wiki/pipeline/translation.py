"""A whole pipeline: from JSON to one SELECT, its bound values, and the shape of its documents."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

# They put their operators into the table of expressions.
from ronda.wiki.pipeline import arithmetic, dates, lists, logic, strings  # noqa: F401
from ronda.wiki.pipeline.collections import REVISIONS, Collection
from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.kinds import Member
from ronda.wiki.pipeline.stages import apply
from ronda.wiki.pipeline.typed import Binder

DEFAULT_DATE_FORMAT = "%Y-%m-%dT%H:%M:%S"
MAX_STAGES = 50


@dataclass(frozen=True)
class Translation:
    sql: str
    values: dict[str, Any]
    members: tuple[Member, ...]


def read_stages(body: str) -> list[tuple[str, Any]]:
    """A list of stages; also, as the document prints it, stages behind each other without the brackets of a list."""
    try:
        written = json.loads(body)
    except RecursionError:
        raise BadPipeline("The pipeline is nested too deeply.") from None
    except ValueError as error:
        try:
            written = json.loads(f"[{body.rstrip().rstrip(',')}]")
        except (ValueError, RecursionError):
            raise BadPipeline(f"The pipeline is no JSON: {error}.") from None
    return stages_of(written)


def stages_of(written: Any) -> list[tuple[str, Any]]:
    """Each entry of each document is a stage, in the order they stand in."""
    documents = written if isinstance(written, list) else [written]
    stages: list[tuple[str, Any]] = []
    for document in documents:
        if not isinstance(document, dict) or not document:
            raise BadPipeline("A pipeline is a list of stages, such as [{'$match': {…}}, {'$limit': 5}].")
        stages.extend(document.items())
    if len(stages) > MAX_STAGES:
        raise BadPipeline(f"A pipeline has at most {MAX_STAGES} stages.")
    return stages


def translate(
    stages: list[tuple[str, Any]],
    *,
    collection: Collection = REVISIONS,
    date_format: str = DEFAULT_DATE_FORMAT,
    max_rows: int,
    now: datetime | None = None,
) -> Translation:
    """One more row than `max_rows` is asked for, to know whether there are more."""
    binder = Binder(date_format, now or datetime.now(UTC))
    relation = collection.relation(with_text=collection is REVISIONS and _names_text(stages))
    for number, (name, written) in enumerate(stages, start=1):
        try:
            relation = apply(name, written, relation, binder)
        except BadPipeline as error:
            raise type(error)(f"Stage {number}, {name[:40]}: {error.message}", hint=error.hint) from None
    columns = ", ".join(f"s.c{place}" for place in range(len(relation.members))) or "0 AS c0"
    rows = binder.number(max_rows + 1).sql
    sql = f"SELECT {columns} FROM ({relation.sql}) AS s ORDER BY {relation.order_by} LIMIT {rows}"
    return Translation(sql, _in_use(sql, binder.values), relation.members)


def _in_use(sql: str, values: dict[str, Any]) -> dict[str, Any]:
    """A text that turned out to be a date was bound twice; DuckDB takes no value that has no place."""
    named = set(re.findall(r"\$(p\d+)\b", sql))
    return {name: value for name, value in values.items() if name in named}


def _names_text(written: Any) -> bool:
    """Texts are megabytes and stand in a table of their own: they are read where the pipeline names them."""
    match written:
        case str():
            return written in ("text", "$text", "$$ROOT.text", "$$CURRENT.text")
        case dict():
            return any(_names_text(name) or _names_text(part) for name, part in written.items())
        case list() | tuple():
            return any(_names_text(part) for part in written)
    return False
