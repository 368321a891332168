"""Operators on texts."""

from __future__ import annotations

from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import arguments, compile_expression, named, of_kind, operator
from ronda.wiki.pipeline.kinds import BOOLEAN, MOMENT, NOTHING, NUMBER, TEXT, ListOf, Plain, word
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import NULL, Typed

MAX_PATTERN = 1_000
_FLAGS = {"i", "m", "s"}


def _text_of(name: str, written: Any, scope: Scope) -> Typed:
    return of_kind(name, compile_expression(written, scope), TEXT)


@operator("$concat")
def concatenate(written: Any, scope: Scope) -> Typed:
    given = [of_kind("$concat", v, TEXT) for v in arguments("$concat", written, scope, least=1, most=50)]
    if any(value.kind == NOTHING for value in given):
        return NULL
    return Typed(f"({' || '.join(value.sql for value in given)})", TEXT)


def _register_case(name: str, function: str) -> None:
    @operator(name)
    def compile_case(written: Any, scope: Scope) -> Typed:
        (value,) = arguments(name, written, scope, least=1)
        value = of_kind(name, value, TEXT)
        # MongoDB gives the empty text for what is not there.
        sql = "''" if value.kind == NOTHING else f"coalesce({function}({value.sql}), '')"
        return Typed(sql, TEXT)


_register_case("$toLower", "lower")
_register_case("$toUpper", "upper")


@operator("$strLenCP")
def length(written: Any, scope: Scope) -> Typed:
    value = _text_of("$strLenCP", written, scope)
    return NULL if value.kind == NOTHING else Typed(f"length({value.sql})", NUMBER)


@operator("$strLenBytes")
def length_bytes(written: Any, scope: Scope) -> Typed:
    value = _text_of("$strLenBytes", written, scope)
    return NULL if value.kind == NOTHING else Typed(f"strlen({value.sql})", NUMBER)


@operator("$substr", "$substrCP")
def part(written: Any, scope: Scope) -> Typed:
    value, start, count = arguments("$substrCP", written, scope, least=3)
    value = of_kind("$substrCP", value, TEXT)
    start, count = of_kind("$substrCP", start, NUMBER), of_kind("$substrCP", count, NUMBER)
    if value.kind == NOTHING:
        return Typed("''", TEXT)
    taken = f"substring({value.sql}, ({start.sql})::BIGINT + 1, ({count.sql})::BIGINT)"
    return Typed(
        f"coalesce(CASE WHEN {count.sql} < 0 THEN substring({value.sql}, ({start.sql})::BIGINT + 1)"
        f" ELSE {taken} END, '')",
        TEXT,
    )


@operator("$indexOfCP")
def index_of(written: Any, scope: Scope) -> Typed:
    value, wanted = arguments("$indexOfCP", written, scope, least=2)
    value, wanted = of_kind("$indexOfCP", value, TEXT), of_kind("$indexOfCP", wanted, TEXT)
    if NOTHING in (value.kind, wanted.kind):
        return NULL
    return Typed(f"(instr({value.sql}, {wanted.sql}) - 1)", NUMBER)


@operator("$split")
def split(written: Any, scope: Scope) -> Typed:
    value, delimiter = (of_kind("$split", v, TEXT) for v in arguments("$split", written, scope, least=2))
    if NOTHING in (value.kind, delimiter.kind):
        return NULL
    return Typed(f"string_split({value.sql}, {delimiter.sql})", ListOf(TEXT))


def _register_trim(name: str, function: str) -> None:
    @operator(name)
    def compile_trim(written: Any, scope: Scope) -> Typed:
        parts = named(name, written, needed={"input"}, optional={"chars"})
        value = _text_of(name, parts["input"], scope)
        if value.kind == NOTHING:
            return NULL
        characters = parts.get("chars", " \t\n\r\v\f\xa0")
        if not isinstance(characters, str):
            raise BadPipeline(f"{name}: chars is a text.")
        return Typed(f"{function}({value.sql}, {scope.binder.text(characters).sql})", TEXT)


for _name, _function in {"$trim": "trim", "$ltrim": "ltrim", "$rtrim": "rtrim"}.items():
    _register_trim(_name, _function)


@operator("$regexMatch")
def regex_match(written: Any, scope: Scope) -> Typed:
    parts = named("$regexMatch", written, needed={"input", "regex"}, optional={"options"})
    value = _text_of("$regexMatch", parts["input"], scope)
    pattern = regex_of("$regexMatch", parts["regex"], parts.get("options", ""), scope)
    if value.kind == NOTHING:
        return Typed("FALSE", BOOLEAN)
    return Typed(f"coalesce(regexp_matches({value.sql}, {pattern}), FALSE)", BOOLEAN)


def regex_of(name: str, pattern: Any, options: Any, scope: Scope) -> str:
    """A pattern for RE2, whose time grows with the text and not with the pattern's cunning."""
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN or "\0" in pattern:
        raise BadPipeline(f"{name} takes a pattern of at most {MAX_PATTERN:,} characters.")
    if not isinstance(options, str) or not set(options) <= _FLAGS:
        raise BadPipeline(f"{name} knows the options i, m and s.")
    flags = "".join(sorted(set(options)))
    return scope.binder.text((f"(?{flags})" if flags else "") + pattern).sql


@operator("$replaceAll")
def replace_all(written: Any, scope: Scope) -> Typed:
    parts = named("$replaceAll", written, needed={"input", "find", "replacement"})
    value, find, replacement = (
        _text_of("$replaceAll", parts[key], scope) for key in ("input", "find", "replacement")
    )
    if NOTHING in (value.kind, find.kind, replacement.kind):
        return NULL
    return Typed(f"replace({value.sql}, {find.sql}, {replacement.sql})", TEXT)


@operator("$toString")
def to_string(written: Any, scope: Scope) -> Typed:
    value = compile_expression(written, scope)
    if value.kind == NOTHING:
        return NULL
    if value.kind == MOMENT:
        return Typed(f"strftime({value.sql}, '%Y-%m-%dT%H:%M:%S.%gZ')", TEXT)
    if not isinstance(value.kind, Plain):
        raise BadPipeline(f"$toString takes no {word(value.kind)}.")
    return Typed(f"CAST({value.sql} AS VARCHAR)", TEXT)
