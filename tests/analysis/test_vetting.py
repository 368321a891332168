"""Strangers' SQL tells nothing of the machine it runs on; what only computes is let through."""

from __future__ import annotations

from pathlib import Path

import pytest

from ronda.analysis.engines.duckdb_engine import DuckDBEngine
from ronda.analysis.errors import RefusedSql
from tests.analysis import tables


def asked(folder: Path, sql: str) -> list[tuple[object, ...]]:
    header = '/*\n[tables.t.columns]\na = "BIGINT"\n*/\n'
    (folder / "mine.sql").write_text(header + sql)
    files = tables.write(folder, t="a\n1\n2\n")
    with DuckDBEngine() as engine:
        (answer,) = tables.answers(engine, str(folder / "mine.sql"), files).values()
    return answer.rows


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM duckdb_settings()",
        "SELECT value FROM t, (SELECT value FROM duckdb_settings WHERE name = 'temp_directory')",
        "SELECT current_setting('temp_directory') AS told FROM t",
        "SELECT (SELECT count(*) FROM pragma_database_list()) AS n FROM t",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_settings",
        "WITH x AS (SELECT * FROM duckdb_views()) SELECT sql FROM x",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM query('SELECT 1')",
        "PRAGMA version",
        'SELECT a FROM t;\n-- rows:\nSELECT \'t\' AS "table", value AS reason, 1 AS "rows" FROM duckdb_settings()',
    ],
)
def test_what_tells_of_the_machine_is_refused(tmp_path: Path, sql: str) -> None:
    with pytest.raises(RefusedSql):
        asked(tmp_path, sql)


def test_what_only_computes_is_run(tmp_path: Path) -> None:
    sql = """
    WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3)
    SELECT a, list_sum(list_transform([1, 2], x -> x * a)) AS s, (SELECT count(*) FROM n) AS c
    FROM t, unnest([10]) AS u(v), range(1) AS r(k)
    WHERE regexp_matches(CAST(a AS VARCHAR), '[0-9]') AND json_extract('{"a": 1}', '$.a') = '1'
    ORDER BY a"""
    assert asked(tmp_path, sql) == [(1, 3, 3), (2, 6, 3)]
