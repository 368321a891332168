"""Revisions for tests: made up, and put into a lake of the test's own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import duckdb
import pyarrow as pa

from ronda.lake.writing import write
from ronda.wiki.storing import REVISIONS

COLUMNS = tuple(REVISIONS.names)


def revision(revid: int, **others: Any) -> dict[str, Any]:
    """One of the Battle of the Nile, as figure 22 has it."""
    return {
        "wiki": "en.wikipedia.org",
        "pageid": 4606,
        "revid": revid,
        "parentid": revid - 1,
        "title": "Battle of the Nile",
        "user": "Szopen",
        "userid": 72,
        "timestamp": datetime(2002, 1, 14, 10, 8, 54)  # noqa: DTZ001
        + timedelta(hours=revid % 1000),
        "size": 2812,
        "sha1": f"sha{revid}",
        "contentmodel": "wikitext",
        "contentformat": "text/x-wiki",
        "comment": "Some editing in first paragraph",
        "parsedcomment": "Some editing in first paragraph",
        "tags": [],
        "minor": False,
        "is_user_hidden": False,
        "is_comment_hidden": False,
        "is_text_hidden": False,
        "extraction_date": datetime(2017, 9, 28, 2, 36, 33, 452000),  # noqa: DTZ001
        **others,
    }


def put(rows: Iterable[dict[str, Any]], texts: dict[str, str] | None = None) -> None:
    """Straight into the lake, as an extraction would."""
    revisions = pa.Table.from_pylist(list(rows), schema=REVISIONS)
    wording = texts or {}
    text_rows = pa.table({"sha1": list(wording), "text": list(wording.values())})

    def work(lake: duckdb.DuckDBPyConnection) -> None:
        lake.register("incoming", revisions)
        lake.execute("INSERT INTO revisions SELECT * FROM incoming ORDER BY wiki, pageid, revid")
        lake.unregister("incoming")
        if wording:
            lake.register("incoming", text_rows)
            lake.execute("INSERT INTO texts SELECT * FROM incoming")
            lake.unregister("incoming")

    write(work)


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(":memory:", config={"threads": "1"})


def plain_tables(
    rows: Iterable[dict[str, Any]], texts: dict[str, str] | None = None
) -> duckdb.DuckDBPyConnection:
    """The same tables in a DuckDB of its own, for what needs no lake."""
    connection = _engine().cursor()
    incoming = pa.Table.from_pylist(list(rows), schema=REVISIONS)
    connection.register("incoming", incoming)
    connection.execute("CREATE OR REPLACE TEMP TABLE revisions AS SELECT * FROM incoming")
    connection.unregister("incoming")
    connection.execute("CREATE OR REPLACE TEMP TABLE texts (sha1 VARCHAR, text VARCHAR)")
    for sha1, text in (texts or {}).items():
        connection.execute("INSERT INTO texts VALUES (?, ?)", [sha1, text])
    return connection
