"""Puts revisions into the lake: rows, texts and the cursor in one transaction; what is known is updated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from ronda.database.named_sql import named_sql
from ronda.lake.reading import looking_up
from ronda.lake.writing import write
from ronda.wiki.revisions import Revision

# All who store revisions: each looks first for what is there.
TURN = "wiki"

# In the order of sql/create_revisions.sql.
REVISIONS = pa.schema(
    [
        ("wiki", pa.string()),
        ("pageid", pa.int64()),
        ("revid", pa.int64()),
        ("parentid", pa.int64()),
        ("title", pa.string()),
        ("user", pa.string()),
        ("userid", pa.int64()),
        ("timestamp", pa.timestamp("us")),
        ("size", pa.int64()),
        ("sha1", pa.string()),
        ("contentmodel", pa.string()),
        ("contentformat", pa.string()),
        ("comment", pa.string()),
        ("parsedcomment", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("minor", pa.bool_()),
        ("is_user_hidden", pa.bool_()),
        ("is_comment_hidden", pa.bool_()),
        ("is_text_hidden", pa.bool_()),
        ("extraction_date", pa.timestamp("us")),
    ]
)
TEXTS = pa.schema([("sha1", pa.string()), ("text", pa.string()), ("place", pa.int64())])
_AS_THEY_ARE = (
    *("revid", "parentid", "user", "userid", "size", "sha1", "contentmodel", "contentformat"),
    *("comment", "parsedcomment", "is_user_hidden", "is_comment_hidden", "is_text_hidden"),
)


@dataclass(frozen=True)
class Page:
    """Whose revisions they are: `wiki` is Wiki.key."""

    wiki: str
    pageid: int
    title: str


@dataclass(frozen=True)
class Cursor:
    """How far the history was read: what the wiki said to go on from, and the newest revision known."""

    place: str
    newest: int
    is_whole: bool
    has_texts: bool


def store(page: Page, revisions: Sequence[Revision], cursor: Cursor | None) -> None:
    """All of it is there afterwards, or nothing."""
    now = datetime.now(UTC).replace(tzinfo=None)
    rows = _revisions_table(page, {one.revid: one for one in revisions}.values(), now)
    texts = {one.sha1: one.text for one in revisions if one.sha1 is not None and one.text is not None}
    columns = [list(texts), list(texts.values()), list(range(len(texts)))]
    text_rows = pa.Table.from_arrays([pa.array(column) for column in columns], schema=TEXTS)

    def work(lake: duckdb.DuckDBPyConnection) -> None:
        _put_revisions(lake, page, rows)
        _put_texts(lake, text_rows)
        if cursor is not None:
            _put_cursor(lake, page, cursor, now)

    write(work, turn=TURN)


def rename(page: Page) -> None:
    """The page was moved: all its revisions are found under its new title."""

    def work(lake: duckdb.DuckDBPyConnection) -> None:
        lake.execute(
            "UPDATE revisions SET title = $title WHERE wiki = $wiki AND pageid = $pageid AND title <> $title",
            {"title": page.title, "wiki": page.wiki, "pageid": page.pageid},
        )

    write(work, turn=TURN)


def _put_revisions(lake: duckdb.DuckDBPyConnection, page: Page, rows: pa.Table) -> None:
    if not rows.num_rows:
        return
    lake.register("incoming", rows)
    lowest, highest = pc.min_max(rows["revid"]).as_py().values()
    lake.execute(
        named_sql("ronda.wiki", "put_revisions"), {"wiki": page.wiki, "lowest": lowest, "highest": highest}
    )
    lake.unregister("incoming")


def _put_texts(lake: duckdb.DuckDBPyConnection, texts: pa.Table) -> None:
    if not texts.num_rows:
        return
    lake.register("incoming", texts)
    lake.execute(named_sql("ronda.wiki", "put_texts"))
    lake.unregister("incoming")


def _put_cursor(lake: duckdb.DuckDBPyConnection, page: Page, cursor: Cursor, now: datetime) -> None:
    lake.execute("DELETE FROM cursors WHERE wiki = ? AND pageid = ?", [page.wiki, page.pageid])
    lake.execute(
        "INSERT INTO cursors VALUES (?, ?, ?, ?, ?, ?, ?)",
        [page.wiki, page.pageid, cursor.place, cursor.newest, cursor.is_whole, cursor.has_texts, now],
    )


def read_cursor(wiki: str, pageid: int) -> Cursor | None:
    with looking_up() as lake:
        return _cursor(lake, wiki, pageid)


def read_beginning(wiki: str, pageid: int) -> tuple[Cursor | None, int]:
    """How far the history was read, and how many revisions of it are here."""
    with looking_up() as lake:
        row = lake.execute(
            "SELECT count(*) FROM revisions WHERE wiki = ? AND pageid = ?", [wiki, pageid]
        ).fetchone()
        return _cursor(lake, wiki, pageid), int(row[0]) if row else 0


def _cursor(lake: duckdb.DuckDBPyConnection, wiki: str, pageid: int) -> Cursor | None:
    row = lake.execute(
        "SELECT place, newest, is_whole, has_texts FROM cursors WHERE wiki = ? AND pageid = ?",
        [wiki, pageid],
    ).fetchone()
    return Cursor(*row) if row else None


def _revisions_table(page: Page, revisions: Iterable[Revision], now: datetime) -> pa.Table:
    rows = [_row(page, one, now) for one in sorted(revisions, key=lambda one: one.revid)]
    return pa.Table.from_pylist(rows, schema=REVISIONS)


def _row(page: Page, one: Revision, now: datetime) -> dict[str, Any]:
    return {
        "wiki": page.wiki,
        "pageid": page.pageid,
        "title": page.title,
        "minor": one.is_minor,
        "tags": list(one.tags),
        "extraction_date": now,
        **{name: getattr(one, name) for name in _AS_THEY_ARE},
        "timestamp": one.timestamp.astimezone(UTC).replace(tzinfo=None),
    }
