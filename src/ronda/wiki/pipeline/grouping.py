"""The stages that make one document of many: $group, $sortByCount, $bucket, $count."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ronda.wiki.pipeline.accumulators import accumulate
from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import compile_expression, named
from ronda.wiki.pipeline.kinds import NOTHING, NUMBER, Choice, is_like
from ronda.wiki.pipeline.relations import Ordering, Relation, check_name
from ronda.wiki.pipeline.typed import Binder, Typed, document_of

ANY_ROW = "HAVING count(*) > 0"  # without a row there is no group, not an empty one


def group(written: Any, relation: Relation, binder: Binder) -> Relation:
    if not isinstance(written, dict) or "_id" not in written:
        raise BadPipeline("$group takes a document with _id: what to group by, or null for one group.")
    scope = relation.scope(binder)
    by = written["_id"]
    parts = _parts_of(by)
    keys = [(name, compile_expression(part, scope)) for name, part in parts]
    with_keys, typed_keys = _with_keys(relation, keys)
    identity = document_of(typed_keys) if isinstance(by, dict) and parts[0][0] else typed_keys[0][1]
    fields = [("_id", identity)]
    inner = with_keys.scope(binder)
    for name, accumulator in written.items():
        if name != "_id":
            fields.append((check_name(name), accumulate(name, accumulator, with_keys, inner)))
    return _grouped(with_keys, typed_keys, fields)


def _parts_of(by: Any) -> list[tuple[str, Any]]:
    """A document of several keys is grouped by its parts, which is quicker than by a struct of them."""
    if isinstance(by, dict) and by and not any(str(name).startswith("$") for name in by):
        return [(check_name(name), part) for name, part in by.items()]
    return [("", by)]


def _with_keys(relation: Relation, keys: list[tuple[str, Typed]]) -> tuple[Relation, list[tuple[str, Typed]]]:
    """The relation with the keys as columns k0, k1 …, and the keys as they are read from there."""
    columns = "".join(f", {key.sql} AS k{place}" for place, (_name, key) in enumerate(keys))
    wider = Relation(f"SELECT s.*{columns} FROM ({relation.sql}) AS s", relation.members, relation.descending)
    read = [
        (name, Typed(f"s.k{place}", key.kind, bool(name) and key.is_missing_when_null))
        for place, (name, key) in enumerate(keys)
    ]
    return wider, read


def _grouped(relation: Relation, keys: list[tuple[str, Typed]], fields: list[tuple[str, Typed]]) -> Relation:
    names = ", ".join(key.sql for _name, key in keys if key.kind != NOTHING)
    if not names:
        fields = [("_id", Typed("NULL", NOTHING)), *fields[1:]]
        return relation.select(fields, [Ordering("0")], rest=ANY_ROW)
    orderings = [Ordering(key.sql) for _name, key in keys if key.kind != NOTHING]
    return relation.select(fields, orderings, rest=f"GROUP BY {_all_keys(keys)}")


def _all_keys(keys: list[tuple[str, Typed]]) -> str:
    return ", ".join(key.sql for _name, key in keys)


def sort_by_count(written: Any, relation: Relation, binder: Binder) -> Relation:
    grouped = group({"_id": written, "count": {"$sum": 1}}, relation, binder)
    return grouped.select(grouped.fields(binder), [Ordering("s.c1", True), *grouped.orderings])


def count(written: Any, relation: Relation, _binder: Binder) -> Relation:
    name = check_name(written)
    return relation.select([(name, Typed("count(*)", NUMBER))], [Ordering("0")], rest=ANY_ROW)


def bucket(written: Any, relation: Relation, binder: Binder) -> Relation:
    parts = named("$bucket", written, needed={"groupBy", "boundaries"}, optional={"default", "output"})
    value = compile_expression(parts["groupBy"], relation.scope(binder))
    bounds = _bounds(parts["boundaries"], value, binder)
    default = binder.alike(bounds[0], binder.constant(parts["default"]))[1] if "default" in parts else None
    number = Typed(_bucket_number(value, bounds, default), NUMBER)
    with_keys, keys = _with_keys(relation, [("", number)])
    output = parts.get("output", {"count": {"$sum": 1}})
    if not isinstance(output, dict):
        raise BadPipeline("$bucket: output is a document of accumulators.")
    inner = with_keys.scope(binder)
    fields = [("_id", _bucket_id(bounds, default))]
    for name, accumulator in output.items():
        fields.append((check_name(name), accumulate(name, accumulator, with_keys, inner)))
    return _grouped(with_keys, keys, fields)


def _bounds(written: Any, value: Typed, binder: Binder) -> list[Typed]:
    if not isinstance(written, list) or not 2 <= len(written) <= 1_000:
        raise BadPipeline("$bucket: boundaries are 2 to 1,000 constants.")
    bounds = [binder.alike(value, binder.constant(each))[1] for each in written]
    if any(not is_like(bound.kind, bounds[0].kind) or bound.kind == NOTHING for bound in bounds):
        raise BadPipeline("$bucket: boundaries are of one kind.")
    constants = [bound.constant for bound in bounds]
    if any(not one < other for one, other in pairwise(constants)):
        raise BadPipeline("$bucket: boundaries rise, each above the one before.")
    return bounds


def _bucket_number(value: Typed, bounds: list[Typed], default: Typed | None) -> str:
    """0 for the first bucket; the one after the last is the default."""
    outside = (
        str(len(bounds) - 1)
        if default
        else "error('$bucket: a value is in no bucket, and there is no default')"
    )
    if not is_like(value.kind, bounds[0].kind):
        return f"(CASE WHEN TRUE THEN {outside} ELSE 0 END)"
    cases = [f"WHEN {value.sql} < {bound.sql} THEN {place}" for place, bound in enumerate(bounds[1:])]
    inside = f"{value.sql} IS NOT NULL AND {value.sql} >= {bounds[0].sql} AND {value.sql} < {bounds[-1].sql}"
    return f"(CASE WHEN ({inside}) IS NOT TRUE THEN {outside} {' '.join(cases)} ELSE {outside} END)"


def _bucket_id(bounds: list[Typed], default: Typed | None) -> Typed:
    choices = [*bounds[:-1], *([default] if default else [])]
    if default and not is_like(default.kind, bounds[0].kind):
        return Typed("s.k0", Choice(tuple(choice.constant for choice in choices)))
    cases = " ".join(f"WHEN {place} THEN {choice.sql}" for place, choice in enumerate(choices))
    return Typed(f"(CASE s.k0 {cases} END)", bounds[0].kind)
