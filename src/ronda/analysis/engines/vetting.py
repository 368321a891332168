"""SQL of strangers, looked at before DuckDB runs it: it may compute, and tell nothing of the machine it runs on.

Files and the network are closed by settings; but DuckDB also tells of itself, where its folders are for one. What is
looked at is the tree that DuckDB's own parser makes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import duckdb

from ronda.analysis.errors import RefusedSql

TABLE_FUNCTIONS = frozenset(("unnest", "range", "generate_series", "json_each", "json_tree"))
FUNCTIONS = frozenset(
    ("current_setting", "getenv", "getvariable", "which_secret", "query", "query_table", "write_log")
)
OF_THE_SYSTEM = ("duckdb_", "pragma_", "pg_", "sqlite_")


def refuse_what_tells_of_the_machine(*texts: str) -> None:
    with duckdb.connect() as parser:
        for sql in texts:
            _look_at(_tree(parser, sql))


def _tree(parser: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any]:
    (said,) = parser.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone() or ("{}",)
    tree: dict[str, Any] = json.loads(said)
    if tree.get("error") and tree.get("error_type") == "not implemented":
        raise RefusedSql("A question is one SELECT, and nothing else.")
    # Other errors are told by the engine, with the place they are at.
    return tree


def _look_at(tree: dict[str, Any]) -> None:
    for node in _nodes(tree):
        name = str(node.get("function_name") or "").lower()
        if node.get("class") == "FUNCTION" and (name in FUNCTIONS or name.startswith(OF_THE_SYSTEM)):
            raise RefusedSql(f"A question may not call {name}.")
        if node.get("type") == "TABLE_FUNCTION":
            called = str((node.get("function") or {}).get("function_name")).lower()
            if called not in TABLE_FUNCTIONS:
                raise RefusedSql(f"The question asks for more than its tables: {called}.")
        if node.get("type") == "BASE_TABLE":
            _look_at_table(str(node.get("schema_name") or ""), str(node.get("table_name") or ""))


def _look_at_table(schema: str, table: str) -> None:
    if schema.lower() not in ("", "main") or table.lower().startswith(OF_THE_SYSTEM):
        raise RefusedSql(f"The question asks for more than its tables: {f'{schema}.{table}'.lstrip('.')}.")


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _nodes(one)
