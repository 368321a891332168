"""Aggregation expressions: what stands behind a field in $project, $group, $addFields and $expr."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline, UnknownOperator
from ronda.wiki.pipeline.kinds import NOTHING, Kind, ListOf, Plain, word
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import Typed, document_of, list_of

MAX_SQL = 100_000

Operator = Callable[[Any, Scope], Typed]
OPERATORS: dict[str, Operator] = {}


def operator(*names: str) -> Callable[[Operator], Operator]:
    def keep(function: Operator) -> Operator:
        for name in names:
            OPERATORS[name] = function
        return function

    return keep


def compile_expression(written: Any, scope: Scope) -> Typed:
    """A field (`$size`), a variable (`$$this`), an operator, a document, a list or a constant."""
    found = _compiled(written, scope.deeper())
    # Some operators name their arguments several times: nested, they would grow without bounds.
    if len(found.sql) > MAX_SQL:
        raise BadPipeline("The expression is too long: use fewer operators inside each other.")
    return found


def _compiled(written: Any, scope: Scope) -> Typed:
    match written:
        case str() if written.startswith("$$"):
            return scope.variable(written)
        case str() if written.startswith("$"):
            return scope.field_at(written[1:])
        case list():
            return list_of([compile_expression(item, scope) for item in written], where="A list")
        case dict() if any(str(name).startswith("$") for name in written):
            return _operated(written, scope)
        case dict():
            return document_of(
                [(_plain_name(name), compile_expression(part, scope)) for name, part in written.items()]
            )
    return scope.binder.constant(written)


def _plain_name(name: str) -> str:
    if not name or "." in name or "\0" in name:
        raise BadPipeline(f"“{name[:80]}” is no name of a field in a document.")
    return name


def _operated(written: dict[str, Any], scope: Scope) -> Typed:
    if len(written) != 1:
        raise BadPipeline(f"An operator stands alone in its document, not beside others: {_names(written)}.")
    name, argument = next(iter(written.items()))
    if name == "$literal":
        return scope.binder.constant(argument)
    if name == "$date":
        return scope.binder.constant(written)
    if name not in OPERATORS:
        raise UnknownOperator(unknown("operator", name, OPERATORS))
    return OPERATORS[name](argument, scope)


def _names(written: dict[str, Any]) -> str:
    return ", ".join(str(name)[:40] for name in list(written)[:5])


def unknown(what: str, name: str, known: Any) -> str:
    near = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.75)
    hint = f" Did you mean {near[0]}?" if near else f" There are: {', '.join(sorted(known))}."
    return f"There is no {what} {str(name)[:60]} here.{hint}"


def arguments(name: str, written: Any, scope: Scope, *, least: int, most: int | None = None) -> list[Typed]:
    """What an operator takes: a list, or one thing without its brackets."""
    given = written if isinstance(written, list) else [written]
    most = least if most is None else most
    if not least <= len(given) <= most:
        count = str(least) if least == most else f"{least} to {most}"
        raise BadPipeline(f"{name} takes {count} arguments, not {len(given)}.")
    return [compile_expression(item, scope) for item in given]


def named(name: str, written: Any, *, needed: set[str], optional: set[str] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
    """What an operator takes by name, such as $dateToString."""
    if not isinstance(written, dict) or not needed <= set(written) <= needed | optional:
        wanted = ", ".join([*sorted(needed), *(f"[{each}]" for each in sorted(optional))])
        raise BadPipeline(f"{name} takes a document with: {wanted}.")
    return written


def of_kind(name: str, value: Typed, *kinds: Kind) -> Typed:
    """The value if it is of one of the kinds, or null; else an error that names the operator."""
    if value.kind == NOTHING or value.kind in kinds:
        return value
    wanted = " or ".join(word(kind) for kind in kinds)
    raise BadPipeline(f"{name} takes {wanted}, not {word(value.kind)}.")


def of_list(name: str, value: Typed) -> tuple[Typed, Kind]:
    """The list and the kind of its items."""
    if isinstance(value.kind, ListOf):
        return value, value.kind.item
    if value.kind == NOTHING:
        return Typed("CAST(NULL AS INTEGER[])", ListOf(NOTHING)), Plain.NOTHING
    raise BadPipeline(f"{name} takes a list, not {word(value.kind)}.")
