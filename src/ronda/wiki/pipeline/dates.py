"""Operators on dates. Dates of a wiki are UTC, and stay so."""

from __future__ import annotations

from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import compile_expression, named, of_kind, operator
from ronda.wiki.pipeline.kinds import MOMENT, NOTHING, NUMBER, TEXT
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import NULL, Typed

_PARTS = {
    "$year": "year({0})",
    "$month": "month({0})",
    "$dayOfMonth": "day({0})",
    "$dayOfWeek": "(dayofweek({0}) + 1)",  # 1 is Sunday
    "$dayOfYear": "dayofyear({0})",
    "$hour": "hour({0})",
    "$minute": "minute({0})",
    "$second": "second({0})",
    "$millisecond": "(millisecond({0}) % 1000)",
    "$isoWeek": "weekofyear({0})",
    "$isoWeekYear": "isoyear({0})",
    "$isoDayOfWeek": "isodow({0})",
}

# MongoDB's letters that mean the same in DuckDB, and those that are written otherwise there.
_LETTERS = {
    "Y": "%Y",
    "m": "%m",
    "d": "%d",
    "H": "%H",
    "M": "%M",
    "S": "%S",
    "L": "%g",
    "j": "%j",
    "u": "%u",
    "G": "%G",
    "V": "%V",
    "b": "%b",
    "B": "%B",
    "%": "%%",
}
_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond")


def _moment_of(name: str, written: Any, scope: Scope) -> Typed:
    value = scope.binder.as_moment(compile_expression(written, scope))
    return of_kind(name, value, MOMENT)


def _register_part(name: str, template: str) -> None:
    @operator(name)
    def compile_part(written: Any, scope: Scope) -> Typed:
        if isinstance(written, dict) and "date" in written:
            parts = named(name, written, needed={"date"}, optional={"timezone"})
            _check_timezone(name, parts)
            written = parts["date"]
        elif isinstance(written, list) and len(written) == 1:
            written = written[0]
        value = _moment_of(name, written, scope)
        return NULL if value.kind == NOTHING else Typed(template.format(value.sql), NUMBER)


for _name, _template in _PARTS.items():
    _register_part(_name, _template)


def _check_timezone(name: str, parts: dict[str, Any]) -> None:
    if parts.get("timezone", "UTC") not in ("UTC", "GMT", "Etc/UTC", "+00:00", "Z"):
        raise BadPipeline(f"{name} knows the time zone UTC only.")


@operator("$dateToString")
def date_to_string(written: Any, scope: Scope) -> Typed:
    parts = named("$dateToString", written, needed={"date"}, optional={"format", "timezone", "onNull"})
    _check_timezone("$dateToString", parts)
    value = _moment_of("$dateToString", parts["date"], scope)
    otherwise = of_kind("$dateToString", compile_expression(parts.get("onNull"), scope), TEXT)
    if value.kind == NOTHING:
        return otherwise
    pattern = scope.binder.text(_pattern(parts.get("format", "%Y-%m-%dT%H:%M:%S.%LZ"))).sql
    return Typed(f"coalesce(strftime({value.sql}, {pattern}), {otherwise.sql})", TEXT)


def _pattern(written: Any) -> str:
    if not isinstance(written, str) or len(written) > 200:
        raise BadPipeline("$dateToString: format is a text such as %Y-%m-%d.")
    pieces, rest = [], iter(written)
    for character in rest:
        if character != "%":
            pieces.append(character)
            continue
        letter = next(rest, "")
        if letter not in _LETTERS:
            raise BadPipeline(f"$dateToString: %{letter} is not known; there are %{', %'.join(_LETTERS)}.")
        pieces.append(_LETTERS[letter])
    return "".join(pieces)


@operator("$dateTrunc")
def date_trunc(written: Any, scope: Scope) -> Typed:
    parts = named("$dateTrunc", written, needed={"date", "unit"}, optional={"timezone"})
    _check_timezone("$dateTrunc", parts)
    value = _moment_of("$dateTrunc", parts["date"], scope)
    unit = _unit("$dateTrunc", parts["unit"])
    if value.kind == NOTHING:
        return NULL
    # MongoDB's weeks begin on Sunday, DuckDB's on Monday.
    if unit == "week":
        sunday = f"(date_trunc('week', {value.sql} + INTERVAL 1 DAY) - INTERVAL 1 DAY)"
        return Typed(f"{sunday}::TIMESTAMP", MOMENT)
    return Typed(f"date_trunc('{unit}', {value.sql})::TIMESTAMP", MOMENT)


@operator("$dateDiff")
def date_diff(written: Any, scope: Scope) -> Typed:
    parts = named("$dateDiff", written, needed={"startDate", "endDate", "unit"}, optional={"timezone"})
    _check_timezone("$dateDiff", parts)
    start = _moment_of("$dateDiff", parts["startDate"], scope)
    end = _moment_of("$dateDiff", parts["endDate"], scope)
    unit = _unit("$dateDiff", parts["unit"])
    if unit == "week":
        raise BadPipeline("$dateDiff counts no weeks here: divide days by 7.")
    if NOTHING in (start.kind, end.kind):
        return NULL
    return Typed(f"date_diff('{unit}', {start.sql}, {end.sql})", NUMBER)


def _unit(name: str, written: Any) -> str:
    if written not in _UNITS:
        raise BadPipeline(f"{name}: the unit is one of {', '.join(_UNITS)}.")
    return str(written)


@operator("$toDate")
def to_date(written: Any, scope: Scope) -> Typed:
    value = scope.binder.as_moment(compile_expression(written, scope))
    if value.kind == NUMBER:
        return Typed(f"epoch_ms(({value.sql})::BIGINT)", MOMENT)
    if value.kind == TEXT:
        return Typed(f"CAST({value.sql} AS TIMESTAMP)", MOMENT)
    return of_kind("$toDate", value, MOMENT)
