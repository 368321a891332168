"""What can be told from a question's SQL without running it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from ronda.analysis.errors import BadQuestion

_DOLLAR = re.compile(r"\$([^\W\d]\w*)")
_COMMENTS = re.compile(r"(?:\s*--[^\n]*(?:\n|\Z))*\s*")
# A semicolon ends a view if only comments stand between it and the next one.
_VIEW = re.compile(
    r"CREATE\s+(VIEW|TABLE)\s+(\w+)\s+AS\s+(.*?);\s*(?=(?:--[^\n]*(?:\n|\Z)\s*)*(?:CREATE\s|\Z))",
    re.DOTALL | re.IGNORECASE,
)


def parameters_in(sql: str, *, known: Collection[str]) -> Iterator[tuple[str, int]]:
    """The `$name`s outside texts and comments that are not known, each with how many lines stand above it."""
    if all(name in known for name in _DOLLAR.findall(sql)):
        return  # As it nearly always is: nobody waits for a whole parser then.
    from sqlglot.dialects.duckdb import DuckDB
    from sqlglot.errors import SqlglotError
    from sqlglot.tokenizer_core import TokenType

    try:
        tokens = DuckDB().tokenize(sql)
    except SqlglotError:
        return  # The engine will say what is wrong with it, better than we could.
    for mark, name in pairwise(tokens):
        is_parameter = mark.token_type == TokenType.PARAMETER and mark.end + 1 == name.start
        if is_parameter and name.text not in known:
            yield name.text, sql.count("\n", 0, name.start)


def tables_in(sql: str, *, file: str, line: int) -> tuple[str, ...]:
    """Names of the tables it reads, in order; those of its own WITH are none."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import ParseError

    try:
        tree = parse_one(sql, read="duckdb")
    except ParseError as error:
        at = error.errors[0] if error.errors else {}
        message = f"The SQL cannot be read: {at.get('description') or error}."
        hint = "Or name the tables it reads in a header."
        raise BadQuestion(message, file=file, line=line + int(at.get("line") or 1) - 1, hint=hint) from None
    own = {cte.alias_or_name for cte in tree.find_all(exp.CTE)}
    names = (table.name for table in tree.find_all(exp.Table) if not table.db)
    return tuple(dict.fromkeys(name for name in names if name and name not in own))


def views_in(text: str, *, file: str) -> Iterator[tuple[str, str, bool]]:
    """`CREATE VIEW name AS SELECT …;` or `CREATE TABLE …` one after the other: name, SQL, whether it is a table."""
    at = 0
    while at < len(text):
        start = _COMMENTS.match(text, at)
        at = start.end() if start else at
        if at >= len(text):
            return
        found = _VIEW.match(text, at)
        if not found:
            line = text[:at].count("\n") + 1
            raise BadQuestion("Expected CREATE VIEW name AS SELECT …; or CREATE TABLE.", file=file, line=line)
        yield found[2], found[3].strip(), found[1].upper() == "TABLE"
        at = found.end()
