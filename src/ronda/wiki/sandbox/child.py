"""The process that answers questions: reads them line by line, answers line by line, knows nothing of Django.

`python -m ronda.wiki.sandbox.child`: the first line on standard input says how to open the lake, each line after it is
a question. It ends with its standard input, when it is killed, and by an alarm of the kernel's own if nobody kills it.
"""

from __future__ import annotations

import base64
import json
import math
import resource
import signal
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import duckdb

from ronda.wiki.query_errors import RefusedSql
from ronda.wiki.sandbox.vetting import is_harmless, vet

MAX_ANSWER_BYTES = 32 * 2**20
# Beyond what DuckDB counts itself: one text of two gigabytes is not in its memory limit.
MAX_ADDRESS_SPACE_BYTES = 4 * 2**30


def main() -> None:
    opening = json.loads(sys.stdin.readline())
    _limit()
    functions = _core_functions()
    engine = duckdb.connect(":memory:")
    for statement in opening["statements"]:
        engine.execute(statement)
    _tell({"ready": True})
    for line in sys.stdin:
        question = json.loads(line)
        signal.alarm(question["seconds"] + 5)
        _tell(_answer(engine, question, functions))
        signal.alarm(0)


def _limit() -> None:
    """No files, no core dumps, no other programs, and not all of the memory."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESS_SPACE_BYTES, MAX_ADDRESS_SPACE_BYTES))


def _core_functions() -> frozenset[str]:
    """Of an engine without extensions: those of the lake and of PostgreSQL are not among them."""
    rows = duckdb.connect(":memory:").execute(
        "SELECT DISTINCT function_name FROM duckdb_functions()"
        " WHERE function_type IN ('scalar', 'aggregate', 'macro')"
    )
    return frozenset(name.lower() for (name,) in rows.fetchall() if is_harmless(name))


def _answer(
    engine: duckdb.DuckDBPyConnection, question: dict[str, Any], functions: frozenset[str]
) -> dict[str, Any]:
    try:
        with engine.cursor() as connection:
            return _asked(connection, question, functions)
    except RefusedSql as refusal:
        return {"error": "refused", "message": refusal.message}
    except (duckdb.OutOfMemoryException, MemoryError):
        return {"error": "memory", "message": ""}
    except (duckdb.IOException, duckdb.ConnectionException, duckdb.FatalException) as error:
        return {"error": "lost", "message": str(error)}
    except duckdb.Error as error:
        return {"error": "invalid", "message": str(error)}


def _asked(
    connection: duckdb.DuckDBPyConnection, question: dict[str, Any], functions: frozenset[str]
) -> dict[str, Any]:
    sql: str = question["sql"]
    connection.execute("USE lake")
    if question["articles"] is not None:
        connection.execute(question["articles_sql"], [question["articles"]])
    if question["is_own_sql"]:
        (tree,) = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone() or ("",)
        vet(json.loads(tree), functions)
        found: Any = connection.from_query(sql).limit(question["max_rows"] + 1)
    else:
        values = {name: _value(value) for name, value in question["values"].items()}
        found = connection.execute(sql, values)
    columns = [str(column[0]) for column in found.description]
    types = [str(column[1]) for column in found.description]
    rows = found.fetchmany(question["max_rows"] + 1)
    return {"columns": columns, "types": types, "rows": [[_plain(cell) for cell in row] for row in rows]}


def _value(value: Any) -> Any:
    return datetime.fromisoformat(value["moment"]) if isinstance(value, dict) else value


def _plain(cell: Any) -> Any:
    """As JSON has it; dates as the document prints them."""
    match cell:
        case None | bool() | int() | str():
            return cell
        case float():
            return cell if math.isfinite(cell) else None
        case datetime() | date() | time():
            return cell.isoformat()
        case Decimal():
            return int(cell) if cell == cell.to_integral_value() else float(cell)
        case dict():
            return {str(_plain(key)): _plain(part) for key, part in cell.items()}
        case list() | tuple():
            return [_plain(part) for part in cell]
        case bytes():
            return base64.b64encode(cell).decode()
        case timedelta() | UUID():
            return str(cell)
    return str(cell)


def _tell(answer: dict[str, Any]) -> None:
    line = json.dumps(answer, ensure_ascii=False)
    if len(line) > MAX_ANSWER_BYTES:
        line = json.dumps({"error": "large", "message": ""})
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
