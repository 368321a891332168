"""Operators on lists, such as a revision's tags."""

from __future__ import annotations

from typing import Any

from ronda.wiki.pipeline.comparing import truth
from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import arguments, compile_expression, named, of_kind, of_list, operator
from ronda.wiki.pipeline.kinds import BOOLEAN, NOTHING, NUMBER, ListOf
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import NULL, Typed, common_kind


@operator("$size")
def size(written: Any, scope: Scope) -> Typed:
    (value,) = arguments("$size", written, scope, least=1)
    value, _item = of_list("$size", value)
    return Typed(f"coalesce(len({value.sql}), 0)", NUMBER)


@operator("$isArray")
def is_list(written: Any, scope: Scope) -> Typed:
    (value,) = arguments("$isArray", written, scope, least=1)
    return Typed(f"({value.sql} IS NOT NULL)" if isinstance(value.kind, ListOf) else "FALSE", BOOLEAN)


@operator("$arrayElemAt")
def element(written: Any, scope: Scope) -> Typed:
    value, place = arguments("$arrayElemAt", written, scope, least=2)
    value, item = of_list("$arrayElemAt", value)
    at = of_kind("$arrayElemAt", place, NUMBER)
    if NOTHING in (item, at.kind):
        return NULL
    # From 0, and from the end for negative places; DuckDB counts from 1.
    sql = f"list_extract({value.sql}, CASE WHEN {at.sql} < 0 THEN {at.sql} ELSE {at.sql} + 1 END)"
    return Typed(sql, item, is_missing_when_null=True)


@operator("$first")
def first(written: Any, scope: Scope) -> Typed:
    return element([_only("$first", written), 0], scope)


@operator("$last")
def last(written: Any, scope: Scope) -> Typed:
    return element([_only("$last", written), -1], scope)


def _only(name: str, written: Any) -> Any:
    if isinstance(written, list) and len(written) != 1:
        raise BadPipeline(f"{name} takes 1 argument here.")
    return written[0] if isinstance(written, list) else written


@operator("$slice")
def part(written: Any, scope: Scope) -> Typed:
    value, *numbers = arguments("$slice", written, scope, least=2, most=3)
    value, item = of_list("$slice", value)
    places = [number.constant for number in numbers if type(number.constant) is int]
    if len(places) != len(numbers):
        raise BadPipeline("$slice takes whole numbers as they are.")
    *starts, count = places
    if starts and count <= 0:
        raise BadPipeline("$slice takes a count above 0.")
    begin, end = _slice_of(value, starts[0], count) if starts else _end_of(count)
    return Typed(f"list_slice({value.sql}, {begin}, {end})", ListOf(item))


def _end_of(count: int) -> tuple[str, str]:
    """So many from the beginning, or from the end when negative."""
    return (str(count), "-1") if count < 0 else ("1", str(count))


def _slice_of(value: Typed, start: int, count: int) -> tuple[str, str]:
    first = f"greatest(len({value.sql}) - {-start}, 0)" if start < 0 else str(start)
    return f"{first} + 1", f"{first} + {count}"


@operator("$concatArrays")
def concatenate(written: Any, scope: Scope) -> Typed:
    lists = [
        of_list("$concatArrays", v) for v in arguments("$concatArrays", written, scope, least=1, most=50)
    ]
    kind = common_kind([item for _value, item in lists], "$concatArrays")
    sql = lists[0][0].sql
    for value, _item in lists[1:]:
        # list_concat takes NULL for an empty list; MongoDB does not.
        sql = f"CASE WHEN {sql} IS NULL OR {value.sql} IS NULL THEN NULL ELSE list_concat({sql}, {value.sql}) END"
    return Typed(f"({sql})", ListOf(kind))


@operator("$setUnion")
def union(written: Any, scope: Scope) -> Typed:
    joined = concatenate(written, scope)
    return Typed(f"list_sort(list_distinct({joined.sql}))", joined.kind)


def _each(name: str, parts: dict[str, Any], scope: Scope) -> tuple[Typed, Typed, Scope]:
    """The list, its item as a variable, and the scope that knows it."""
    value, item = of_list(name, compile_expression(parts["input"], scope))
    called = parts.get("as", "this")
    if not isinstance(called, str) or not called.isidentifier():
        raise BadPipeline(f"{name}: as is a name.")
    variable = Typed(f"v{scope.depth}", item)
    return value, variable, scope.with_variable(called, variable)


@operator("$map")
def mapped(written: Any, scope: Scope) -> Typed:
    parts = named("$map", written, needed={"input", "in"}, optional={"as"})
    value, variable, within = _each("$map", parts, scope)
    each = compile_expression(parts["in"], within)
    return Typed(f"list_transform({value.sql}, lambda {variable.sql}: {each.sql})", ListOf(each.kind))


@operator("$filter")
def filtered(written: Any, scope: Scope) -> Typed:
    parts = named("$filter", written, needed={"input", "cond"}, optional={"as"})
    value, variable, within = _each("$filter", parts, scope)
    test = truth(compile_expression(parts["cond"], within))
    return Typed(f"list_filter({value.sql}, lambda {variable.sql}: {test})", value.kind)
