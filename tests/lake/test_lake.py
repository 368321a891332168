"""The lake: what is written in one transaction is there whole or not at all, and readers see one state of it."""

from __future__ import annotations

import threading
from pathlib import Path

import duckdb
import pytest
from django.db import OperationalError, connection

from ronda.lake.reading import reading
from ronda.lake.writing import write

CUT_OFF = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""

pytestmark = pytest.mark.django_db(transaction=True)


def _put(place: str) -> None:
    def work(lake: duckdb.DuckDBPyConnection) -> None:
        lake.execute("DELETE FROM cursors WHERE wiki = 'w' AND pageid = 1")
        lake.execute("INSERT INTO cursors VALUES ('w', 1, ?, 0, false, false, now()::TIMESTAMP)", [place])

    write(work)


def _places() -> list[str]:
    with reading() as lake:
        return [row[0] for row in lake.execute("SELECT place FROM cursors ORDER BY place").fetchall()]


def test_a_reader_sees_one_snapshot_and_writes_nothing(own_lake: Path) -> None:
    _put("first")
    with reading() as lake:
        assert lake.execute("SELECT place FROM cursors").fetchall() == [("first",)]
        _put("second")
        assert lake.execute("SELECT place FROM cursors").fetchall() == [("first",)]
        with pytest.raises(duckdb.Error, match="read-only"):
            lake.execute("DELETE FROM cursors")
    assert _places() == ["second"]


def test_what_fails_in_the_middle_leaves_no_trace(own_lake: Path) -> None:
    _put("first")

    def work(lake: duckdb.DuckDBPyConnection) -> None:
        lake.execute("DELETE FROM cursors")
        raise KeyError("stop")

    with pytest.raises(KeyError):
        write(work)
    assert _places() == ["first"]


def test_writers_of_the_same_row_are_tried_again_until_all_are_done(own_lake: Path) -> None:
    _put("0")

    def add_one() -> None:
        def work(lake: duckdb.DuckDBPyConnection) -> None:
            lake.execute("UPDATE cursors SET newest = newest + 1 WHERE wiki = 'w'")

        for _ in range(3):
            write(work)
        connection.close()

    threads = [threading.Thread(target=add_one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reading() as lake:
        assert lake.execute("SELECT newest FROM cursors").fetchall() == [(9,)]


def test_a_catalogue_that_went_away_is_the_databases_own_error(own_lake: Path) -> None:
    """Its connections are cut off in the middle, as when PostgreSQL is killed: jobs are put back then, and go on."""
    _put("first")
    with pytest.raises(OperationalError):
        _read_while_it_is_cut_off()
    assert _places() == ["first"]
    _put("second")
    assert _places() == ["second"]


def _read_while_it_is_cut_off() -> None:
    with connection.cursor() as cursor, reading() as lake:
        cursor.execute(CUT_OFF)
        # Those that wait in the pool went, too: each would cost a later test a pause, twice as long as the last.
        connection.pool.check()
        for _ in range(3):
            lake.execute("SELECT place FROM cursors").fetchall()
            lake.execute("SELECT * FROM ducklake_snapshots('lake')").fetchall()
