"""Revisions in the lake: stored once, updated when the wiki changed them, texts once however often they come back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path
from typing import Any

import pytest

from ronda.lake.reading import reading
from ronda.wiki.holdings import holdings
from ronda.wiki.revisions import Revision
from ronda.wiki.storing import Cursor, Page, read_cursor, store

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = Page("wiki.example", 7, "Ronda")


def revision(number: int, text: str = "a text", at: datetime | None = None) -> Revision:
    return Revision(
        revid=number,
        parentid=number - 1,
        timestamp=at or datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=number),
        user="Ana",
        userid=3,
        size=len(text),
        sha1=sha1(text.encode()).hexdigest(),
        comment="an edit",
        tags=("mw-undo",),
        text=text,
    )


def _rows(question: str) -> list[tuple[Any, ...]]:
    with reading() as lake:
        return lake.execute(question).fetchall()


def test_rows_and_cursor_come_together_and_texts_once(own_lake: Path) -> None:
    cursor = Cursor("20200101|3", newest=2, is_whole=False, has_texts=True)
    store(PAGE, [revision(1), revision(2, "other"), revision(3)], cursor)
    assert _rows("SELECT revid, size, tags FROM revisions ORDER BY revid") == [
        (1, 6, ["mw-undo"]),
        (2, 5, ["mw-undo"]),
        (3, 6, ["mw-undo"]),
    ]
    assert _rows("SELECT text FROM texts ORDER BY text") == [("a text",), ("other",)]
    assert _rows("SELECT timestamp FROM revisions WHERE revid = 1") == [(datetime(2020, 1, 1, 1),)]  # noqa: DTZ001
    assert read_cursor("wiki.example", 7) == cursor
    assert read_cursor("wiki.example", 8) is None


def test_a_revision_seen_again_is_updated_and_not_doubled(own_lake: Path) -> None:
    store(PAGE, [revision(number) for number in range(1, 6)], None)
    hidden = replace(
        revision(4), user=None, userid=None, sha1=None, text=None, is_user_hidden=True, is_text_hidden=True
    )
    store(PAGE, [replace(revision(3), tags=()), hidden, revision(5), revision(6)], None)
    assert _rows(
        'SELECT revid, tags, "user", is_text_hidden FROM revisions WHERE revid > 2 ORDER BY revid'
    ) == [
        (3, [], "Ana", False),
        (4, ["mw-undo"], None, True),
        (5, ["mw-undo"], "Ana", False),
        (6, ["mw-undo"], "Ana", False),
    ]
    assert _rows("SELECT count(*) FROM revisions") == [(6,)]


def test_the_same_again_writes_nothing(own_lake: Path) -> None:
    store(PAGE, [revision(1), revision(2)], None)
    before = _rows("SELECT id FROM ducklake_current_snapshot('lake')")
    store(PAGE, [revision(1), revision(2)], None)
    assert _rows("SELECT id FROM ducklake_current_snapshot('lake')") == before


def test_a_parent_on_another_page_is_no_gap_and_one_that_is_nowhere_is(own_lake: Path) -> None:
    store(PAGE, [replace(revision(3), parentid=0), revision(4), revision(9), revision(12)], None)
    store(Page("wiki.example", 8, "Setenil"), [revision(8)], None)
    store(Page("other.example", 7, "Ronda"), [revision(11)], None)  # ids of another wiki say nothing
    held = holdings("wiki.example", 7)
    assert (held.revisions, held.last_revision, held.gaps) == (4, 12, (11,))
    assert holdings("wiki.example", 99).gaps == ()


def test_the_format_of_a_text_comes_with_the_text_and_stays(own_lake: Path) -> None:
    bare = replace(revision(1), text=None, contentmodel="wikitext", tags=())
    store(PAGE, [bare], None)
    store(PAGE, [replace(bare, text="a text", contentformat="text/x-wiki")], None)
    store(PAGE, [replace(bare, tags=("mw-reverted",))], None)  # read again without texts
    assert _rows("SELECT contentmodel, contentformat, tags FROM revisions") == [
        ("wikitext", "text/x-wiki", ["mw-reverted"])
    ]
