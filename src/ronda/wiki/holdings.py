"""What the lake holds of a page: the questions that extraction and proof put to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ronda.database.named_sql import named_sql
from ronda.lake.reading import reading


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
    named = {"wiki": wiki, "pageid": pageid}
    with reading() as lake:
        counts = lake.execute(named_sql("ronda.wiki", "holdings"), named).fetchone()
        gaps = lake.execute(named_sql("ronda.wiki", "missing_parents"), named).fetchall()
    assert counts  # noqa: S101  (an aggregate has a row)
    number, hidden, readable, last, last_at = counts
    return Holdings(
        revisions=number,
        hidden=hidden,
        readable=readable,
        last_revision=last,
        last_revision_at=last_at.replace(tzinfo=UTC) if last_at else None,
        gaps=tuple(row[0] for row in gaps),
    )


def known_among(wiki: str, revids: Sequence[int]) -> set[int]:
    if not revids:
        return set()
    with reading() as lake:
        rows = lake.execute(
            "SELECT revid FROM revisions WHERE wiki = ? AND revid BETWEEN ? AND ? AND revid IN (SELECT unnest(?))",
            [wiki, min(revids), max(revids), list(revids)],
        ).fetchall()
    return {row[0] for row in rows}


def has_other_title(wiki: str, pageid: int, title: str) -> bool:
    """Whether revisions still stand under a title the page had before."""
    with reading() as lake:
        row = lake.execute(
            "SELECT 1 FROM revisions WHERE wiki = ? AND pageid = ? AND title <> ? LIMIT 1",
            [wiki, pageid, title],
        ).fetchone()
    return row is not None


def all_revids(wiki: str, pageid: int) -> set[int]:
    with reading() as lake:
        rows = lake.execute(
            "SELECT revid FROM revisions WHERE wiki = ? AND pageid = ?", [wiki, pageid]
        ).fetchall()
    return {row[0] for row in rows}


def revisions_without_text(wiki: str, pageid: int) -> list[int]:
    """One revision of each text that is not here."""
    with reading() as lake:
        rows = lake.execute(
            named_sql("ronda.wiki", "without_text"), {"wiki": wiki, "pageid": pageid}
        ).fetchall()
    return [row[0] for row in rows]
