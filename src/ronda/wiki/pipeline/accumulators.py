"""What $group and $bucket make of many documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline, UnknownOperator
from ronda.wiki.pipeline.expressions import compile_expression, unknown
from ronda.wiki.pipeline.kinds import NOTHING, NUMBER, ListOf
from ronda.wiki.pipeline.relations import Relation
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import NULL, Typed

Accumulator = Callable[[Typed, Relation], Typed]


def accumulate(name: str, written: Any, relation: Relation, scope: Scope) -> Typed:
    """`{"$sum": "$size"}` behind the field `name`."""
    if not isinstance(written, dict) or len(written) != 1:
        raise BadPipeline(f"{name} in $group takes one accumulator, such as {{'$sum': 1}}.")
    called, argument = next(iter(written.items()))
    if called == "$count":
        if argument != {}:
            raise BadPipeline("$count in $group takes an empty document.")
        return Typed("count(*)", NUMBER)
    if called not in ACCUMULATORS:
        raise UnknownOperator(unknown("accumulator", called, [*ACCUMULATORS, "$count"]))
    return ACCUMULATORS[called](compile_expression(argument, scope), relation)


def _sum(value: Typed, _relation: Relation) -> Typed:
    if value.kind != NUMBER:  # MongoDB adds up numbers and leaves out the rest
        return Typed("0", NUMBER)
    if value.is_constant:
        return Typed(f"(count(*) * {value.sql})", NUMBER)
    return Typed(f"coalesce(sum({value.sql}), 0)", NUMBER)


def _of_numbers(function: str) -> Accumulator:
    def make(value: Typed, _relation: Relation) -> Typed:
        return Typed(f"{function}({value.sql})", NUMBER) if value.kind == NUMBER else NULL

    return make


def _extreme(function: str) -> Accumulator:
    def make(value: Typed, _relation: Relation) -> Typed:
        return NULL if value.kind == NOTHING else Typed(f"{function}({value.sql})", value.kind)

    return make


def _at_end(function: str) -> Accumulator:
    def make(value: Typed, relation: Relation) -> Typed:
        if value.kind == NOTHING:
            return NULL
        return Typed(f"{function}({value.sql} ORDER BY {relation.order_by})", value.kind)

    return make


def _push(value: Typed, relation: Relation) -> Typed:
    if value.kind == NOTHING and value.is_missing_when_null:
        return Typed("CAST([] AS INTEGER[])", ListOf(NOTHING))
    # A missing field adds nothing to the list, null does.
    only = f" FILTER (WHERE {value.sql} IS NOT NULL)" if value.is_missing_when_null else ""
    return Typed(f"coalesce(list({value.sql} ORDER BY {relation.order_by}){only}, [])", ListOf(value.kind))


def _add_to_set(value: Typed, _relation: Relation) -> Typed:
    """In order, although MongoDB promises none: the same question has the same answer."""
    if value.kind == NOTHING and value.is_missing_when_null:
        return Typed("CAST([] AS INTEGER[])", ListOf(NOTHING))
    found = f"list(DISTINCT {value.sql})"
    if value.is_missing_when_null:
        found += f" FILTER (WHERE {value.sql} IS NOT NULL)"
    return Typed(f"list_sort(coalesce({found}, []), 'ASC', 'NULLS FIRST')", ListOf(value.kind))


ACCUMULATORS: dict[str, Accumulator] = {
    "$sum": _sum,
    "$avg": _of_numbers("avg"),
    "$stdDevPop": _of_numbers("stddev_pop"),
    "$stdDevSamp": _of_numbers("stddev_samp"),
    "$min": _extreme("min"),
    "$max": _extreme("max"),
    "$first": _at_end("first"),
    "$last": _at_end("last"),
    "$push": _push,
    "$addToSet": _add_to_set,
}
