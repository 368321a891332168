"""Many small commits become few sorted files, what is old goes, and what was asked before is answered after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ronda.lake import keeping
from ronda.lake.reading import reading
from ronda.wiki.storing import store
from tests.wiki.test_storing import PAGE, revision

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "SELECT revid, tags, title FROM revisions ORDER BY revid"


def test_files_are_merged_sorted_and_cleaned_up(own_lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for start in (400, 100, 300, 0, 200):
        store(PAGE, [revision(number) for number in range(start + 1, start + 51)], None)
    store(PAGE, [replace(revision(number), tags=()) for number in range(1, 41)], None)
    with reading() as lake:
        before = lake.execute(QUESTION).fetchall()
    files = len(list(own_lake.rglob("*.parquet")))
    assert keeping.untidiness().small_files > 0
    monkeypatch.setattr(keeping, "KEPT_HOURS", 0)

    keeping.tidy()
    with reading() as lake:
        assert lake.execute(QUESTION).fetchall() == before
        merged = lake.execute("FROM ducklake_list_files('lake', 'revisions')").fetchall()
        order = lake.execute("SELECT revid FROM read_parquet(?)", [merged[0][0]]).fetchall()
    assert len(merged) == 1
    assert order == sorted(order)
    assert len(list(own_lake.rglob("*.parquet"))) < files
    assert keeping.untidiness().small_files == 0
