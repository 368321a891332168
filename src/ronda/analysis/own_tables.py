"""What Ronda itself gathered, as tables of the set ronda: PostgreSQL read-only through DuckDB, and whatever is added.

DuckDBEngine(means, provide=own_tables(conninfo))                  sources, visits, versions, captures, …
DuckDBEngine(means, provide=own_tables(conninfo, attach_lake))     and revisions of the lake
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import duckdb

from ronda.errors import Unavailable
from ronda.lake.extensions import loading, quoted

VIEWS = Path(__file__).parent / "sql" / "own_tables.sql"
_NAME = re.compile(r"CREATE VIEW (\w+) AS")
Provide = Callable[[duckdb.DuckDBPyConnection], frozenset[str]]


def own_tables(conninfo: str, *more: Provide) -> Provide:
    """For DuckDBEngine(provide=…). `more` may make further ones, such as revisions, and names them."""

    def provide(connection: duckdb.DuckDBPyConnection) -> frozenset[str]:
        found = attach_postgres(connection, conninfo)
        for one in more:
            found |= one(connection)
        return found

    return provide


def attach_postgres(connection: duckdb.DuckDBPyConnection, conninfo: str) -> frozenset[str]:
    text = VIEWS.read_text("utf-8")
    connection.execute(loading("postgres_scanner"))
    try:
        connection.execute(f"ATTACH {quoted(conninfo)} AS gathered (TYPE postgres, READ_ONLY)")
        for statement in text.split(";"):
            if statement.strip():
                connection.execute(statement)
    except duckdb.Error as error:
        # DuckDB repeats the address it was given, password and all.
        said = str(error).replace(conninfo, "…").partition("\n")[0]
        raise Unavailable(f"PostgreSQL cannot be read: {said}") from None
    return frozenset(_NAME.findall(text))
