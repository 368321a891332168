"""/query refuses or stops whatever is not a question: files, network, settings, the catalogue, floods. And goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ronda.wiki.query_errors import RefusedSql
from ronda.wiki.sandbox import asking
from ronda.wiki.sandbox.asking import end_idle
from tests.wiki.asking import Asker
from tests.wiki.histories import put, revision

pytestmark = pytest.mark.django_db(transaction=True)

REFUSED = [
    # files and network
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd"',
    "SELECT * FROM read_parquet('http://127.0.0.1:1/x')",
    "SELECT * FROM 'http://127.0.0.1:1/x.parquet'",
    "SELECT * FROM glob('/**')",
    "SELECT content FROM read_blob('/etc/hostname')",
    "SELECT (SELECT content FROM read_text('/etc/passwd')) FROM revisions",
    "SELECT * FROM revisions WHERE title IN (SELECT column0 FROM read_csv('/etc/passwd'))",
    "SELECT getenv('PATH')",
    "COPY (SELECT 1) TO '/tmp/x.csv'",
    "COPY revisions FROM '/etc/passwd'",
    "EXPORT DATABASE '/tmp/x'",
    # statements that are no SELECT
    "ATTACH '/tmp/x.db'",
    "DETACH lake",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA database_list",
    "SET memory_limit = '100GB'",
    "RESET lock_configuration",
    "USE memory",
    "CALL pragma_version()",
    "DELETE FROM revisions",
    "UPDATE revisions SET size = 0",
    "INSERT INTO texts VALUES ('a', 'b')",
    "CREATE TABLE x AS SELECT 1",
    "CREATE MACRO f() AS 1",
    "DROP TABLE revisions",
    "CHECKPOINT",
    "EXPLAIN ANALYZE SELECT 1",
    "SELECT 1; DROP TABLE revisions",
    "BEGIN",
    "",
    # the catalogue, the database behind it, the server
    "SELECT * FROM __ducklake_metadata_lake.lake.ducklake_table",
    "SELECT * FROM __ducklake_metadata_lake.public.accounts_person",
    "SELECT * FROM postgres_query('__ducklake_metadata_lake', 'SELECT 1')",
    "SELECT * FROM postgres_scan('', 'public', 'accounts_token')",
    "SELECT * FROM ducklake_snapshots('lake')",
    "SELECT * FROM lake.revisions",
    "SELECT * FROM lake.main.revisions",
    "SELECT * FROM cursors",
    "SELECT * FROM duckdb_databases()",
    "SELECT * FROM duckdb_databases",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_tables",
    "SELECT * FROM sqlite_master",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "DESCRIBE revisions",
    "SUMMARIZE revisions",
    "SELECT current_setting('temp_directory')",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('cursors')",
    "SELECT * FROM json_execute_serialized_sql('{}')",
    "SELECT json_serialize_plan('SELECT 1')",
    "SELECT * FROM revisions AT (VERSION => 1)",
    "SELECT nextval('x')",
    "SELECT main.getvariable('x')",
    "SELECT version()",
    "SELECT sleep_ms(100000)",
    "SELECT pg_sleep(100)",
    # names that WITH could make pass
    "WITH duckdb_databases AS (SELECT 1) SELECT * FROM duckdb_databases",
    "SELECT * FROM (WITH sqlite_master AS (SELECT 1) SELECT 1), sqlite_master",
    """WITH "/etc/passwd" AS (SELECT 1) SELECT * FROM "/etc/passwd" """,
    "WITH RECURSIVE pg_tables AS (SELECT 1 AS n UNION ALL SELECT n FROM pg_tables) SELECT * FROM pg_tables",
]

STOPPED = [
    "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7",
    "SELECT length(repeat('x', 2000000000) || n) FROM range(100) t(n)",
    "SELECT list(a.range) FROM range(1000000000) a",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(100000)",
]


@pytest.fixture
def asker(own_lake: Path) -> Iterator[Asker]:
    put([revision(number) for number in range(1, 21)], {"sha1": "a text"})
    yield Asker()
    end_idle()


def _is_healthy(asker: Asker) -> bool:
    status, answer = asker.sql("SELECT count(*) AS n FROM revisions")
    return status == 200 and answer["items"] == [{"n": 20}] and asker.get("/count")[1]["count"] == 20


def test_what_is_no_question_is_refused(asker: Asker) -> None:
    for sql in REFUSED:
        status, problem = asker.sql(sql)
        assert status == 422, (sql, status, problem)
        assert "root:" not in str(problem)
    assert "Only a SELECT" in asker.sql("DROP TABLE revisions")[1]["detail"]
    assert _is_healthy(asker)


def test_what_explodes_is_stopped(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MAX_SECONDS", 3)
    for sql in STOPPED:
        status, problem = asker.sql(sql)
        assert status in (409, 422), (sql, status, problem)
        assert "stopped" in problem["detail"] or status == 422, problem
    assert _is_healthy(asker)
    pushing = [
        {"$addFields": {"t": {"$concat": ["$comment"] * 50}}},
        {"$group": {"_id": None, "x": {"$push": "$t"}}},
    ]
    assert asker.post("/query", pushing)[0] in (200, 409)


def test_even_unvetted_sql_reads_no_other_file_and_changes_nothing(
    asker: Asker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The second fence: were the first to let something pass, the process that runs it could not do it."""
    for sql in (
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv('http://127.0.0.1:1/x')",
        f"ATTACH '{tmp_path}/x.db'",
        f"COPY (SELECT 1) TO '{tmp_path}/x.csv'",
        f"COPY (SELECT 1) TO '{tmp_path}/lake/x.csv'",
        "SET memory_limit = '100GB'",
        "INSTALL httpfs",
        "DELETE FROM revisions",
        "CREATE TABLE lake.x AS SELECT 1",
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011  (whichever fence it meets)
            asking.ask(asking.Question(sql, 10, {}))
        assert not isinstance(caught.value, RefusedSql)
    assert not list(tmp_path.rglob("x.*"))
    assert _is_healthy(asker)


def test_the_processes_know_no_secret_and_end(asker: Asker) -> None:
    assert _is_healthy(asker)
    (child,) = asking._idle
    process = psutil.Process(child.pid)
    assert not [name for name in process.environ() if "RONDA" in name or "TOKEN" in name]
    assert "password" not in " ".join(process.cmdline())
    process.kill()
    assert _is_healthy(asker), "a process that is gone is replaced"
    left = [child.pid for child in asking._idle]
    end_idle()
    assert not any(psutil.pid_exists(pid) for pid in left)
