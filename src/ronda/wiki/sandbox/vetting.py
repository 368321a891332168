"""Which SQL may run: judged on the tree that DuckDB's own parser makes of it, by lists of what is allowed. Pure.

Names of tables, table functions and functions are checked wherever they stand. What is not known is refused, so that a
new kind of node of a later DuckDB is refused, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ronda.wiki.query_errors import RefusedSql

TABLES = frozenset({"revisions", "texts", "articles"})
TABLE_FUNCTIONS = frozenset({"unnest", "range", "generate_series"})
REFERENCES = frozenset(
    {"BASE_TABLE", "TABLE_FUNCTION", "SUBQUERY", "JOIN", "EMPTY", "EXPRESSION_LIST", "PIVOT"}
)
STATEMENTS = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
# What tells of the server or acts on it, among functions that only compute.
_TELLING = re.compile(
    r"^(pg_|has_|inet_|duckdb_|pragma_|__|current_(?!date$|localtime)|json_(de)?serialize|json_execute|parse_duckdb"
    r"|write_|sleep|txid|get(env|variable|_block_size)|query|read_|.*_description$)"
    r"|^(nextval|currval|setseed|version|stats|in_search_path|session_user|user|error|map_to_pg_oid|format_pg_type"
    r"|format_type|create_sort_key|vector_type)$"
)
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_RESERVED = re.compile(r"^(duckdb_|pragma_|sqlite_|pg_|information_schema|ducklake|lake$)", re.IGNORECASE)


def is_harmless(function: str) -> bool:
    """Whether a function of DuckDB's core only computes."""
    return _TELLING.search(function.lower()) is None


def vet(tree: dict[str, Any], functions: frozenset[str]) -> None:
    """`tree` is what `json_serialize_sql` gave; `functions` those of the core that are harmless."""
    if (
        tree.get("error_type") == "not implemented"
    ):  # it reads every statement, and shows trees of SELECTs only
        raise RefusedSql("Only a SELECT can be asked; nothing can be changed here.", field="sql")
    if tree.get("error"):
        raise RefusedSql(f"This is not a SELECT: {_first_line(tree.get('error_message'))}", field="sql")
    if len(tree["statements"]) != 1:
        raise RefusedSql("One SELECT at a time.", field="sql")
    names = {name.lower() for name in _defined_names(tree)}
    for node in _nodes(tree["statements"]):
        _vet_node(node, names, functions)


def _first_line(message: object) -> str:
    return str(message).strip().split("\n", 1)[0][:300]


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _defined_names(tree: Any) -> Iterator[str]:
    """Names that WITH gives. One that could be mistaken for something of the system's is refused."""
    for node in _nodes(tree):
        given = [entry["key"] for entry in node["cte_map"]["map"]] if "cte_map" in node else []
        given += [node["cte_name"]] if "cte_name" in node else []
        for name in given:
            if not _PLAIN_NAME.fullmatch(name) or _RESERVED.search(name):
                raise RefusedSql(f"WITH cannot define “{name[:60]}” here: choose another name.", field="sql")
            yield name


def _vet_node(node: dict[str, Any], names: set[str], functions: frozenset[str]) -> None:
    kind = node.get("type")
    if "class" not in node and "sample" in node and "alias" in node:
        _vet_reference(node, names)
    elif "class" not in node and "cte_map" in node and kind not in STATEMENTS:
        raise RefusedSql("This kind of statement is not taken.", field="sql")
    elif "function_name" in node:
        _vet_function(node, functions)


def _vet_reference(node: dict[str, Any], names: set[str]) -> None:
    match node["type"]:
        case "BASE_TABLE":
            name = node["table_name"].lower()
            is_qualified = node.get("schema_name") or node.get("catalog_name") or node.get("at_clause")
            if is_qualified or (name not in TABLES and name not in names):
                raise RefusedSql(
                    f"There is no table “{node['table_name'][:60]}” here; there are {', '.join(sorted(TABLES))}.",
                    field="sql",
                )
        case "TABLE_FUNCTION":
            name = node["function"].get("function_name", "").lower()
            if name not in TABLE_FUNCTIONS:
                raise RefusedSql(f"{name[:60] or 'This'} cannot be read from here.", field="sql")
        case kind if kind not in REFERENCES:
            raise RefusedSql("Only SELECT over revisions, texts and articles is taken.", field="sql")


def _vet_function(node: dict[str, Any], functions: frozenset[str]) -> None:
    name = node["function_name"].lower()
    if node.get("schema") or node.get("catalog"):
        raise RefusedSql(f"Call {name[:60]} by its plain name.", field="sql")
    # unnest is no function of the list, and window functions are known by the kind of their node.
    if name in TABLE_FUNCTIONS or (node.get("class") == "WINDOW" and node.get("type") != "WINDOW_AGGREGATE"):
        return
    if name not in functions:
        raise RefusedSql(f"The function {name[:60]} is not there for questions.", field="sql")
