"""Equality and order as MongoDB has them: missing before null before everything, then by kind, then by value."""

from __future__ import annotations

from ronda.wiki.pipeline.kinds import BOOLEAN, NOTHING, NUMBER, is_like, rank
from ronda.wiki.pipeline.typed import Binder, Typed

SQL_SIGNS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


def null_rank(value: Typed) -> int:
    return 0 if value.is_missing_when_null else 1


def is_equal(one: Typed, other: Typed, binder: Binder) -> str:
    """Two-valued: never NULL."""
    one, other = binder.alike(one, other)
    both_null = f"({one.sql} IS NULL AND {other.sql} IS NULL)"
    nulls_are_equal = null_rank(one) == null_rank(other)
    if NOTHING in (one.kind, other.kind) or not is_like(one.kind, other.kind):
        return both_null if nulls_are_equal else "FALSE"
    if nulls_are_equal:
        return f"({one.sql} IS NOT DISTINCT FROM {other.sql})"
    return f"coalesce({one.sql} = {other.sql}, FALSE)"


def is_ordered(one: Typed, sign: str, other: Typed, binder: Binder) -> str:
    """`sign` is one of > >= < <=. Two-valued."""
    one, other = binder.alike(one, other)
    by_rank = f"({_rank_sql(one)} {sign} {_rank_sql(other)})"
    if NOTHING in (one.kind, other.kind) or not is_like(one.kind, other.kind):
        return by_rank
    return f"coalesce({one.sql} {sign} {other.sql}, {by_rank})"


def _rank_sql(value: Typed) -> str:
    if value.kind == NOTHING:
        return str(null_rank(value))
    return f"(CASE WHEN {value.sql} IS NULL THEN {null_rank(value)} ELSE {rank(value.kind)} END)"


def order_sign(one: Typed, other: Typed, binder: Binder) -> str:
    """-1, 0 or 1, as $cmp gives it."""
    less = is_ordered(one, "<", other, binder)
    more = is_ordered(one, ">", other, binder)
    return f"(CASE WHEN {less} THEN -1 WHEN {more} THEN 1 ELSE 0 END)"


def truth(value: Typed) -> str:
    """What $cond and $and take for true: all but false, 0, null and missing. Two-valued."""
    if value.kind == BOOLEAN:
        return f"coalesce({value.sql}, FALSE)"
    if value.kind == NUMBER:
        return f"coalesce({value.sql} <> 0, FALSE)"
    return "FALSE" if value.kind == NOTHING else f"({value.sql} IS NOT NULL)"
