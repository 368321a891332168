"""Operators on numbers, and on dates where MongoDB has them: $add, $subtract."""

from __future__ import annotations

from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import arguments, compile_expression, of_kind, operator
from ronda.wiki.pipeline.kinds import MOMENT, NOTHING, NUMBER, TEXT
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import NULL, Typed

_SIMPLE = {
    "$abs": "abs({0})",
    "$ceil": "ceil({0})",
    "$floor": "floor({0})",
    "$exp": "exp({0})",
    # Outside of their range these are null rather than an error that ends the whole query.
    "$sqrt": "CASE WHEN {0} >= 0 THEN sqrt({0}) END",
    "$ln": "CASE WHEN {0} > 0 THEN ln({0}) END",
    "$log10": "CASE WHEN {0} > 0 THEN log10({0}) END",
}


def _register_simple(name: str, template: str) -> None:
    @operator(name)
    def compile_simple(written: Any, scope: Scope) -> Typed:
        (value,) = arguments(name, written, scope, least=1)
        value = of_kind(name, value, NUMBER)
        return Typed(f"({template.format(value.sql)})", NUMBER) if value.kind == NUMBER else NULL


for _name, _template in _SIMPLE.items():
    _register_simple(_name, _template)


@operator("$add")
def add(written: Any, scope: Scope) -> Typed:
    given = [
        of_kind("$add", value, NUMBER, MOMENT)
        for value in arguments("$add", written, scope, least=1, most=50)
    ]
    if any(value.kind == NOTHING for value in given):
        return NULL
    moments = [value for value in given if value.kind == MOMENT]
    numbers = " + ".join(value.sql for value in given if value.kind == NUMBER)
    if len(moments) > 1:
        raise BadPipeline("$add takes at most one date.")
    if moments:
        return Typed(f"({moments[0].sql} + {_milliseconds(numbers or '0')})", MOMENT)
    return Typed(f"({numbers})", NUMBER)


def _milliseconds(sql: str) -> str:
    return f"to_milliseconds(({sql})::BIGINT)"


@operator("$subtract")
def subtract(written: Any, scope: Scope) -> Typed:
    one, other = arguments("$subtract", written, scope, least=2)
    one, other = scope.binder.alike(one, other) if one.kind == MOMENT and other.kind == TEXT else (one, other)
    one, other = of_kind("$subtract", one, NUMBER, MOMENT), of_kind("$subtract", other, NUMBER, MOMENT)
    if NOTHING in (one.kind, other.kind):
        return NULL
    if one.kind == other.kind == NUMBER:
        return Typed(f"({one.sql} - {other.sql})", NUMBER)
    if one.kind == other.kind:
        return Typed(f"(epoch_ms({one.sql}) - epoch_ms({other.sql}))", NUMBER)
    if one.kind == MOMENT:
        return Typed(f"({one.sql} - {_milliseconds(other.sql)})", MOMENT)
    raise BadPipeline("$subtract takes no date from a number.")


@operator("$multiply")
def multiply(written: Any, scope: Scope) -> Typed:
    given = [
        of_kind("$multiply", v, NUMBER) for v in arguments("$multiply", written, scope, least=1, most=50)
    ]
    if any(value.kind == NOTHING for value in given):
        return NULL
    return Typed(f"({' * '.join(value.sql for value in given)})", NUMBER)


@operator("$divide")
def divide(written: Any, scope: Scope) -> Typed:
    return _by("$divide", "/", written, scope)


@operator("$mod")
def modulo(written: Any, scope: Scope) -> Typed:
    return _by("$mod", "%", written, scope)


def _by(name: str, sign: str, written: Any, scope: Scope) -> Typed:
    one, other = (of_kind(name, value, NUMBER) for value in arguments(name, written, scope, least=2))
    if NOTHING in (one.kind, other.kind):
        return NULL
    refusal = f"error('{name} by zero')"  # our own words: no value of the user's
    return Typed(f"(CASE WHEN {other.sql} = 0 THEN {refusal} ELSE {one.sql} {sign} {other.sql} END)", NUMBER)


@operator("$pow")
def power(written: Any, scope: Scope) -> Typed:
    one, other = (of_kind("$pow", value, NUMBER) for value in arguments("$pow", written, scope, least=2))
    return NULL if NOTHING in (one.kind, other.kind) else Typed(f"pow({one.sql}, {other.sql})", NUMBER)


@operator("$round")
def round_half_even(written: Any, scope: Scope) -> Typed:
    return _to_places("$round", "round_even", written, scope)


@operator("$trunc")
def truncate(written: Any, scope: Scope) -> Typed:
    return _to_places("$trunc", "trunc", written, scope)


def _to_places(name: str, function: str, written: Any, scope: Scope) -> Typed:
    value, *rest = arguments(name, written, scope, least=1, most=2)
    value = of_kind(name, value, NUMBER)
    if value.kind == NOTHING:
        return NULL
    places = rest[0].constant if rest and rest[0].is_constant else 0
    if not isinstance(places, int) or isinstance(places, bool) or not -20 <= places <= 20:
        raise BadPipeline(f"{name} takes a number of places between -20 and 20.")
    if function == "round_even":
        return Typed(f"round_even(({value.sql})::DOUBLE, {int(places)})", NUMBER)
    scaled = f"trunc(({value.sql}) * pow(10, {int(places)})) / pow(10, {int(places)})"
    return Typed(f"({scaled})", NUMBER)


@operator("$toInt", "$toLong")
def to_whole(written: Any, scope: Scope) -> Typed:
    value = compile_expression(written, scope)
    if value.kind == MOMENT:
        return Typed(f"epoch_ms({value.sql})", NUMBER)
    if value.kind == NOTHING:
        return NULL
    sql = f"trunc({value.sql})" if value.kind == NUMBER else value.sql
    return Typed(f"CAST({sql} AS BIGINT)", NUMBER)


@operator("$toDouble")
def to_double(written: Any, scope: Scope) -> Typed:
    value = compile_expression(written, scope)
    if value.kind == MOMENT:
        return Typed(f"epoch_ms({value.sql})::DOUBLE", NUMBER)
    return NULL if value.kind == NOTHING else Typed(f"CAST({value.sql} AS DOUBLE)", NUMBER)
