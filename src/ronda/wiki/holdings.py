"""What the lake holds of a page: the questions that extraction and proof put to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from ronda.database.named_sql import named_sql
from ronda.lake.reading import looking_up


@dataclass(frozen=True)
class Holdings:
    """`gaps`: parents that are named and not here. `readable`: those whose text the wiki does not hide."""

    revisions: int
    hidden: int
    readable: int
    last_revision: int | None
    last_revision_at: datetime | None
    gaps: tuple[int, ...]


def holdings(wiki: str, pageid: int) -> Holdings:
    with looking_up() as lake:
        counts = lake.execute(
            named_sql("ronda.wiki", "holdings"), {"wiki": wiki, "pageid": pageid}
        ).fetchone()
        assert counts  # noqa: S101  (an aggregate has a row)
        number, hidden, readable, last, last_at, elsewhere = counts
        gaps = _nowhere(lake, wiki, elsewhere) if elsewhere else ()
    return Holdings(
        revisions=number,
        hidden=hidden,
        readable=readable,
        last_revision=last,
        last_revision_at=last_at.replace(tzinfo=UTC) if last_at else None,
        gaps=gaps,
    )


def _nowhere(lake: duckdb.DuckDBPyConnection, wiki: str, parents: list[int]) -> tuple[int, ...]:
    rows = lake.execute(
        named_sql("ronda.wiki", "missing_parents"), {"wiki": wiki, "parents": parents}
    ).fetchall()
    return tuple(row[0] for row in rows)


def known_among(wiki: str, revids: Sequence[int]) -> set[int]:
    if not revids:
        return set()
    with looking_up() as lake:
        rows = lake.execute(
            "SELECT revid FROM revisions WHERE wiki = ? AND revid BETWEEN ? AND ? AND revid IN (SELECT unnest(?))",
            [wiki, min(revids), max(revids), list(revids)],
        ).fetchall()
    return {row[0] for row in rows}


def has_other_title(wiki: str, pageid: int, title: str) -> bool:
    """Whether revisions still stand under a title the page had before."""
    with looking_up() as lake:
        row = lake.execute(
            "SELECT 1 FROM revisions WHERE wiki = ? AND pageid = ? AND title <> ? LIMIT 1",
            [wiki, pageid, title],
        ).fetchone()
    return row is not None


def all_revids(wiki: str, pageid: int) -> set[int]:
    with looking_up() as lake:
        rows = lake.execute(
            "SELECT revid FROM revisions WHERE wiki = ? AND pageid = ?", [wiki, pageid]
        ).fetchall()
    return {row[0] for row in rows}


def revisions_without_text(wiki: str, pageid: int) -> list[int]:
    """One revision of each text that is not here."""
    with looking_up() as lake:
        rows = lake.execute(
            named_sql("ronda.wiki", "without_text"), {"wiki": wiki, "pageid": pageid}
        ).fetchall()
    return [row[0] for row in rows]
