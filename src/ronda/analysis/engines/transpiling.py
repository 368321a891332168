"""A question's SQL, written for DuckDB, for Spark: with its parameters filled in, and only over tables it was given."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlglot import exp, parse
from sqlglot.errors import ErrorLevel, SqlglotError

from ronda.analysis.errors import FailedSql, RefusedSql

# They call any Java method there is.
FORBIDDEN = frozenset(("reflect", "java_method", "try_reflect"))


def for_spark(sql: str, *, tables: Collection[str], values: Mapping[str, object]) -> str:
    """Spark's SQL for one SELECT; refused if it reads anything but these tables."""
    tree = _parsed(sql)
    _refuse_others(tree, {name.lower() for name in tables})
    tree = tree.transform(lambda node: _filled_in(node, values)).transform(_as_spark_has_it)
    try:
        return tree.sql(dialect="spark", unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise FailedSql(f"Spark cannot be asked this: {error}", hint="Ask DuckDB: --engine duckdb.") from None


def _parsed(sql: str) -> exp.Expr:
    try:
        statements = [statement for statement in parse(sql, read="duckdb") if statement is not None]
    except SqlglotError as error:
        raise FailedSql(f"The SQL cannot be read: {error}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise RefusedSql("A question is one SELECT, and nothing else.")
    return statements[0]


def _refuse_others(tree: exp.Expr, tables: set[str]) -> None:
    own = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.db or not isinstance(table.this, exp.Identifier) or table.name.lower() not in tables | own:
            raise RefusedSql(f"The question asks for more than its tables: {table.sql(dialect='duckdb')}.")
    for function in tree.find_all(exp.Anonymous):
        if function.name.lower() in FORBIDDEN:
            raise RefusedSql(f"A question may not call {function.name}.")


def _filled_in(node: exp.Expr, values: Mapping[str, object]) -> exp.Expr:
    if isinstance(node, exp.Parameter | exp.Placeholder):
        name = node.name
        if name not in values:
            raise FailedSql(f"${name} has no value.")
        return _literal(values[name])
    return node


def _literal(value: object) -> exp.Expr:
    if isinstance(value, list):
        return exp.Array(expressions=[_literal(one) for one in value])
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return exp.convert(value)
    # A bare 5 is an INT there, a bare 0.5 a DECIMAL.
    return exp.cast(exp.convert(value), "BIGINT" if isinstance(value, int) else "DOUBLE")


def _as_spark_has_it(node: exp.Expr) -> exp.Expr:
    """What sqlglot leaves as it is, though Spark has it under another name."""
    if isinstance(node, exp.ArrayContainsAll):
        return _has_all(node.this, node.expression)
    if isinstance(node, exp.ArrayOverlaps):
        return exp.Anonymous(this="ARRAYS_OVERLAP", expressions=[node.this.copy(), node.expression.copy()])
    if isinstance(node, exp.Anonymous) and node.name.lower() in ("list_has_all", "array_has_all"):
        return _has_all(*node.expressions)
    if isinstance(node, exp.Limit) and isinstance(node.expression, exp.Cast):
        # LIMIT takes an INT.
        node.set("expression", exp.cast(node.expression.this, "INT"))
    return node


def _has_all(those: exp.Expr, these: exp.Expr) -> exp.Expr:
    missing = exp.func("ARRAY_EXCEPT", these.copy(), those.copy(), dialect="spark")
    return exp.EQ(this=exp.func("SIZE", missing, dialect="spark"), expression=exp.Literal.number(0))
