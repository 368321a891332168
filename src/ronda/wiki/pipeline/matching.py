"""The query language of $match.

A condition may be NULL, which counts as false; what is negated is therefore `IS NOT TRUE`. So plain comparisons stay
plain, and DuckDB can skip parts of files by their statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ronda.wiki.pipeline.comparing import SQL_SIGNS, truth
from ronda.wiki.pipeline.errors import BadPipeline, UnknownOperator
from ronda.wiki.pipeline.expressions import compile_expression, unknown
from ronda.wiki.pipeline.kinds import (
    BOOLEAN,
    MOMENT,
    NOTHING,
    NUMBER,
    TEXT,
    Document,
    Kind,
    ListOf,
    is_like,
)
from ronda.wiki.pipeline.scope import Scope, inside
from ronda.wiki.pipeline.strings import regex_of
from ronda.wiki.pipeline.typed import Typed

Test = Callable[[Any, Typed, Scope], str]


def condition(written: Any, scope: Scope) -> str:
    """The whole of a $match: every entry has to hold."""
    scope = scope.deeper()
    if not isinstance(written, dict):
        raise BadPipeline("$match takes a document of conditions.")
    parts = [_entry(str(name), wanted, scope) for name, wanted in written.items() if name != "$comment"]
    return f"({' AND '.join(parts)})" if parts else "TRUE"


def _entry(name: str, wanted: Any, scope: Scope) -> str:
    match name:
        case "$and" | "$or" | "$nor":
            if not isinstance(wanted, list) or not 1 <= len(wanted) <= 1_000:
                raise BadPipeline(f"{name} takes a list of 1 to 1,000 conditions.")
            glue = " AND " if name == "$and" else " OR "
            joined = f"({glue.join(condition(each, scope) for each in wanted)})"
            return f"({joined} IS NOT TRUE)" if name == "$nor" else joined
        case "$expr":
            return truth(compile_expression(wanted, scope))
    if name.startswith("$"):
        raise UnknownOperator(unknown("operator", name, ["$and", "$or", "$nor", "$expr", "$comment"]))
    return field_condition(scope.field_at(name), wanted, scope)


def field_condition(value: Typed, wanted: Any, scope: Scope) -> str:
    if isinstance(wanted, dict) and any(str(key).startswith("$") for key in wanted) and "$date" not in wanted:
        return _operated(value, wanted, scope)
    return _equals(wanted, value, scope)


def _operated(value: Typed, wanted: dict[str, Any], scope: Scope) -> str:
    parts = []
    for name, argument in wanted.items():
        if name == "$options":
            if "$regex" not in wanted:
                raise BadPipeline("$options stands beside $regex only.")
        elif name == "$regex":
            parts.append(_matches(value, argument, wanted.get("$options", ""), scope))
        elif name in TESTS:
            parts.append(TESTS[name](argument, value, scope))
        else:
            raise UnknownOperator(unknown("operator", name, [*TESTS, "$regex", "$options"]))
    return f"({' AND '.join(parts)})"


def _any_item(value: Typed, test: Callable[[Typed], str], scope: Scope) -> str:
    """The test on the value, or on any item of the list it is."""
    if not isinstance(value.kind, ListOf):
        return test(value)
    item = Typed(f"i{scope.depth}", value.kind.item)
    return f"(len(list_filter({value.sql}, lambda {item.sql}: coalesce({test(item)}, FALSE))) > 0)"


def _equals(wanted: Any, value: Typed, scope: Scope) -> str:
    if wanted is None:
        # A list that holds null matches as well.
        return f"({value.sql} IS NULL)"
    if isinstance(wanted, dict) and "$date" not in wanted:
        return _equals_document(wanted, value, scope)
    other = scope.binder.constant(wanted)
    if isinstance(value.kind, ListOf) and not isinstance(other.kind, ListOf):
        _value, other = scope.binder.alike(Typed("", value.kind.item), other)
        return f"list_contains({value.sql}, {other.sql})" if value.kind.item == other.kind else "FALSE"
    value, other = scope.binder.alike(value, other)
    return f"({value.sql} = {other.sql})" if is_like(value.kind, other.kind) else "FALSE"


def _equals_document(wanted: dict[str, Any], value: Typed, scope: Scope) -> str:
    kind = value.kind
    if not isinstance(kind, Document) or [member.name for member in kind.members] != list(wanted):
        return "FALSE"
    parts = []
    for place, (member, part) in enumerate(zip(kind.members, wanted.values(), strict=True)):
        inner = Typed(f"({value.sql}).f{place}", member.kind, member.is_missing_when_null)
        parts.append(_equals(part, inner, scope.deeper()))
    return f"({value.sql} IS NOT NULL AND {' AND '.join(parts) or 'TRUE'})"


def _ordered(sign: str) -> Test:
    def test(wanted: Any, value: Typed, scope: Scope) -> str:
        if wanted is None:  # null is neither more nor less than anything, but as much as itself
            return f"({value.sql} IS NULL)" if "=" in sign else "FALSE"
        other = scope.binder.constant(wanted)

        def compared(item: Typed) -> str:
            one, two = scope.binder.alike(item, other)
            # Between kinds nothing is more or less.
            return f"({one.sql} {sign} {two.sql})" if is_like(one.kind, two.kind) else "FALSE"

        return compared(value) if isinstance(other.kind, ListOf) else _any_item(value, compared, scope)

    return test


def _in(wanted: Any, value: Typed, scope: Scope) -> str:
    if not isinstance(wanted, list):
        raise BadPipeline("$in and $nin take a list.")
    item: Kind = value.kind.item if isinstance(value.kind, ListOf) else value.kind
    fitting = []
    for each in wanted:
        _value, other = scope.binder.alike(Typed("", item), scope.binder.constant(each))
        if other.kind == item and item != NOTHING:
            fitting.append(other.sql)
    parts = [f"({value.sql} IS NULL)"] if None in wanted else []
    if fitting and isinstance(value.kind, ListOf):
        parts.append(f"list_has_any({value.sql}, [{', '.join(fitting)}])")
    elif fitting:
        parts.append(f"({value.sql} IN ({', '.join(fitting)}))")
    return f"({' OR '.join(parts)})" if parts else "FALSE"


def _negated(test: Test) -> Test:
    return lambda wanted, value, scope: f"({test(wanted, value, scope)} IS NOT TRUE)"


def _not(wanted: Any, value: Typed, scope: Scope) -> str:
    if not isinstance(wanted, dict):
        raise BadPipeline("$not takes a document with an operator.")
    return f"({_operated(value, wanted, scope.deeper())} IS NOT TRUE)"


def _exists(wanted: Any, value: Typed, _scope: Scope) -> str:
    if value.is_missing_when_null:
        return f"({value.sql} IS NOT NULL)" if wanted else f"({value.sql} IS NULL)"
    return "TRUE" if wanted else "FALSE"


def _matches(value: Typed, pattern: Any, options: Any, scope: Scope) -> str:
    bound = regex_of("$regex", pattern, options, scope)
    return _any_item(
        value, lambda item: f"regexp_matches({item.sql}, {bound})" if item.kind == TEXT else "FALSE", scope
    )


def _all(wanted: Any, value: Typed, scope: Scope) -> str:
    if not isinstance(wanted, list):
        raise BadPipeline("$all takes a list.")
    return f"({' AND '.join(_equals(each, value, scope) for each in wanted) or 'FALSE'})"


def _has_size(wanted: Any, value: Typed, scope: Scope) -> str:
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 0:
        raise BadPipeline("$size takes a whole number.")
    if not isinstance(value.kind, ListOf):
        return "FALSE"
    return f"(len({value.sql}) = {scope.binder.number(wanted).sql})"


def _element(wanted: Any, value: Typed, scope: Scope) -> str:
    if not isinstance(wanted, dict):
        raise BadPipeline("$elemMatch takes a document of conditions.")
    if not isinstance(value.kind, ListOf):
        return "FALSE"
    inner = scope.deeper()
    item = Typed(f"m{inner.depth}", value.kind.item)
    if isinstance(item.kind, Document) and not any(str(key).startswith("$") for key in wanted):
        tests = [
            field_condition(inside(item, str(key).split("."), inner.depth), each, inner)
            for key, each in wanted.items()
        ]
        test = f"({' AND '.join(tests) or 'TRUE'})"
    else:
        test = _operated(item, wanted, inner)
    return f"(len(list_filter({value.sql}, lambda {item.sql}: coalesce({test}, FALSE))) > 0)"


def _modulo(wanted: Any, value: Typed, scope: Scope) -> str:
    whole = isinstance(wanted, list) and len(wanted) == 2 and all(type(each) is int for each in wanted)
    if not whole or wanted[0] == 0:
        raise BadPipeline("$mod takes a divisor, not 0, and a remainder.")
    divisor, remainder = (scope.binder.number(each).sql for each in wanted)
    return _any_item(
        value,
        lambda item: f"(trunc({item.sql}) % {divisor} = {remainder})" if item.kind == NUMBER else "FALSE",
        scope,
    )


_TYPE_NAMES: dict[str, Kind] = {
    "string": TEXT,
    "bool": BOOLEAN,
    "date": MOMENT,
    "number": NUMBER,
    "int": NUMBER,
    "long": NUMBER,
    "double": NUMBER,
    "decimal": NUMBER,
}


def _type(wanted: Any, value: Typed, _scope: Scope) -> str:
    if wanted == "array":
        return f"({value.sql} IS NOT NULL)" if isinstance(value.kind, ListOf) else "FALSE"
    if wanted == "null":
        return "FALSE" if value.is_missing_when_null else f"({value.sql} IS NULL)"
    if wanted not in _TYPE_NAMES:
        raise BadPipeline(f"$type knows {', '.join(sorted([*_TYPE_NAMES, 'array', 'null']))}.")
    return f"({value.sql} IS NOT NULL)" if value.kind == _TYPE_NAMES[wanted] else "FALSE"


TESTS: dict[str, Test] = {
    "$eq": _equals,
    "$ne": _negated(_equals),
    "$in": _in,
    "$nin": _negated(_in),
    "$not": _not,
    "$exists": _exists,
    "$all": _all,
    "$size": _has_size,
    "$elemMatch": _element,
    "$mod": _modulo,
    "$type": _type,
    **{name: _ordered(sign) for name, sign in SQL_SIGNS.items()},
}
