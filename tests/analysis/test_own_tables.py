"""The set ronda: every question runs over what this Ronda gathered, in a real PostgreSQL, without writing to it."""

from __future__ import annotations

import duckdb
import pytest
from django.db import connection
from psycopg.conninfo import make_conninfo

from ronda.analysis.engines.duckdb_engine import DuckDBEngine
from ronda.analysis.errors import RefusedSql
from ronda.analysis.own_tables import own_tables
from ronda.analysis.questions import load, set_of_texts
from ronda.errors import Unavailable
from ronda.frontier.models import Host


def conninfo() -> str:
    known = ("dbname", "user", "password", "host", "port")
    given = connection.get_connection_params()
    return make_conninfo(**{name: given[name] for name in known if given.get(name)})


def no_revisions(engine: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Stands for the lake, which another room attaches."""
    engine.execute(
        "CREATE TABLE revisions (wiki VARCHAR, pageid BIGINT, revid BIGINT, parentid BIGINT, title VARCHAR, "
        '"user" VARCHAR, "timestamp" TIMESTAMP, size BIGINT, sha1 VARCHAR, minor BOOLEAN, tags VARCHAR[])'
    )
    engine.execute(
        "INSERT INTO revisions SELECT 'w', 1, n, n - 1, 'T', 'u' || n % 2, "
        "TIMESTAMP '2020-01-01' + n * INTERVAL 1 DAY, n, '', n % 2 = 0, "
        "CASE WHEN n = 3 THEN ['mw-reverted'] ELSE [] END FROM range(1, 13) AS r(n)"
    )
    return frozenset(("revisions",))


@pytest.mark.django_db(transaction=True)
def test_every_question_runs_over_postgresql() -> None:
    Host.objects.create(name="slow.example", scheme="https", latency_seconds=2.5, backoff_count=1, queued=3)
    with DuckDBEngine(provide=own_tables(conninfo(), no_revisions)) as engine:
        found = {question.name: engine.answer(question, {}) for question in load("ronda").questions}
        assert len(found) >= 10
        assert [row[0] for row in found["slowest_hosts"].rows] == ["slow.example"]
        assert [row[:2] for row in found["hosts_in_trouble"].rows] == [("slow.example", 3)]
        assert found["most_edited_articles"].rows[0][1:5] == ("T", 12, 2, 11)
        assert found["reverted_revisions"].rows[0][2:] == (12, 1, 1 / 12)
        # A stranger's SQL must not see it.
        mine = set_of_texts({"mine.sql": "SELECT * FROM hosts"}, name="mine").questions[0]
        with pytest.raises(RefusedSql, match="Ronda comes with"):
            engine.answer(mine, {})


def test_a_postgresql_that_is_not_there() -> None:
    address = "host=127.0.0.1 port=1 dbname=x user=y password=very-secret"
    with (
        DuckDBEngine(provide=own_tables(address)) as engine,
        pytest.raises(Unavailable, match="PostgreSQL cannot be read") as caught,
    ):
        engine.answer(load("ronda").question("slowest_hosts"), {})
    assert "very-secret" not in str(caught.value)
