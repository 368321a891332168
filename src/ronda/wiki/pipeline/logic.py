"""Operators that compare, decide and choose."""

from __future__ import annotations

from typing import Any

from ronda.wiki.pipeline.comparing import SQL_SIGNS, is_equal, is_ordered, order_sign, truth
from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import arguments, compile_expression, named, of_list, operator
from ronda.wiki.pipeline.kinds import BOOLEAN, MOMENT, NOTHING, NUMBER
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import NULL, Typed, common_kind


@operator("$eq")
def equal(written: Any, scope: Scope) -> Typed:
    one, other = arguments("$eq", written, scope, least=2)
    return Typed(is_equal(one, other, scope.binder), BOOLEAN)


@operator("$ne")
def unequal(written: Any, scope: Scope) -> Typed:
    one, other = arguments("$ne", written, scope, least=2)
    return Typed(f"(NOT {is_equal(one, other, scope.binder)})", BOOLEAN)


def _register_order(name: str, sign: str) -> None:
    @operator(name)
    def compile_order(written: Any, scope: Scope) -> Typed:
        one, other = arguments(name, written, scope, least=2)
        return Typed(is_ordered(one, sign, other, scope.binder), BOOLEAN)


for _name, _sign in SQL_SIGNS.items():
    _register_order(_name, _sign)


@operator("$cmp")
def compare(written: Any, scope: Scope) -> Typed:
    one, other = arguments("$cmp", written, scope, least=2)
    return Typed(order_sign(one, other, scope.binder), NUMBER)


@operator("$and")
def all_of(written: Any, scope: Scope) -> Typed:
    given = arguments("$and", written, scope, least=0, most=200)
    return Typed(f"({' AND '.join(truth(value) for value in given) or 'TRUE'})", BOOLEAN)


@operator("$or")
def any_of(written: Any, scope: Scope) -> Typed:
    given = arguments("$or", written, scope, least=0, most=200)
    return Typed(f"({' OR '.join(truth(value) for value in given) or 'FALSE'})", BOOLEAN)


@operator("$not")
def negated(written: Any, scope: Scope) -> Typed:
    (value,) = arguments("$not", written, scope, least=1)
    return Typed(f"(NOT {truth(value)})", BOOLEAN)


@operator("$cond")
def choose(written: Any, scope: Scope) -> Typed:
    if isinstance(written, dict):
        parts = named("$cond", written, needed={"if", "then", "else"})
        written = [parts["if"], parts["then"], parts["else"]]
    test, one, other = arguments("$cond", written, scope, least=3)
    return _cases([(truth(test), one)], other, "$cond", scope)


@operator("$switch")
def switch(written: Any, scope: Scope) -> Typed:
    parts = named("$switch", written, needed={"branches"}, optional={"default"})
    if not isinstance(parts["branches"], list) or not 1 <= len(parts["branches"]) <= 100:
        raise BadPipeline("$switch takes 1 to 100 branches.")
    cases = []
    for branch in parts["branches"]:
        one = named("$switch.branches", branch, needed={"case", "then"})
        cases.append((truth(compile_expression(one["case"], scope)), compile_expression(one["then"], scope)))
    if "default" in parts:
        return _cases(cases, compile_expression(parts["default"], scope), "$switch", scope)
    refused = Typed("error('$switch: no branch holds, and there is no default')", NOTHING)
    return _cases(cases, refused, "$switch", scope)


def _cases(cases: list[tuple[str, Typed]], other: Typed, name: str, scope: Scope) -> Typed:
    values = _of_one_kind([*(value for _test, value in cases), other], scope)
    kind = common_kind([value.kind for value in values], f"{name} gives what")
    if kind == NOTHING and not other.sql.startswith("error("):
        return NULL
    when = " ".join(f"WHEN {test} THEN {v.sql}" for (test, _), v in zip(cases, values[:-1], strict=True))
    is_missing = all(value.is_missing_when_null or value.kind != NOTHING for value in values) and any(
        value.is_missing_when_null for value in values
    )
    return Typed(f"(CASE {when} ELSE {values[-1].sql} END)", kind, is_missing)


def _of_one_kind(values: list[Typed], scope: Scope) -> list[Typed]:
    """Constant texts among dates are dates."""
    if any(value.kind == MOMENT for value in values):
        return [scope.binder.as_moment(value) for value in values]
    return values


@operator("$ifNull")
def first_there(written: Any, scope: Scope) -> Typed:
    given = _of_one_kind(arguments("$ifNull", written, scope, least=2, most=50), scope)
    kind = common_kind([value.kind for value in given], "$ifNull")
    if kind == NOTHING:
        return given[-1]
    return Typed(f"coalesce({', '.join(value.sql for value in given)})", kind, given[-1].is_missing_when_null)


@operator("$in")
def is_among(written: Any, scope: Scope) -> Typed:
    value, among = arguments("$in", written, scope, least=2)
    value, among = scope.binder.alike(value, among)
    among, item = of_list("$in", among)
    if value.kind == NOTHING or item != value.kind:
        return Typed("FALSE", BOOLEAN)
    return Typed(f"coalesce(list_contains({among.sql}, {value.sql}), FALSE)", BOOLEAN)
