"""The stages of a pipeline, each a function from one relation to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline, UnknownStage
from ronda.wiki.pipeline.expressions import unknown
from ronda.wiki.pipeline.grouping import bucket, count, group, sort_by_count
from ronda.wiki.pipeline.kinds import NUMBER, ListOf
from ronda.wiki.pipeline.matching import condition
from ronda.wiki.pipeline.projecting import add_fields, project, unset
from ronda.wiki.pipeline.relations import Ordering, Relation, check_name
from ronda.wiki.pipeline.typed import Binder, Typed

Stage = Callable[[Any, Relation, Binder], Relation]


def match(written: Any, relation: Relation, binder: Binder) -> Relation:
    return relation.narrowed(f"WHERE {condition(written, relation.scope(binder))}")


def sort(written: Any, relation: Relation, binder: Binder) -> Relation:
    if not isinstance(written, dict) or not 1 <= len(written) <= 16:
        raise BadPipeline("$sort takes a document of 1 to 16 fields, each 1 (rising) or -1 (falling).")
    scope = relation.scope(binder)
    keys = []
    for name, direction in written.items():
        if isinstance(direction, bool) or direction not in (1, -1):
            raise BadPipeline(f"$sort: {str(name)[:80]} is 1 (rising) or -1 (falling).")
        value = scope.field_at(name)
        if isinstance(value.kind, ListOf):  # by its least item when rising, by its greatest when falling
            value = Typed(f"{'list_min' if direction == 1 else 'list_max'}({value.sql})", value.kind.item)
        keys.append(Ordering(value.sql, direction == -1))
    # The order so far breaks ties, so that the same question has the same answer.
    return relation.select(relation.fields(binder), [*keys, *relation.orderings])


def limit(written: Any, relation: Relation, binder: Binder) -> Relation:
    number = _whole("$limit", written, least=1)
    return relation.narrowed(f"ORDER BY {relation.order_by} LIMIT {binder.number(number).sql}")


def skip(written: Any, relation: Relation, binder: Binder) -> Relation:
    number = _whole("$skip", written, least=0)
    return relation.narrowed(f"ORDER BY {relation.order_by} OFFSET {binder.number(number).sql}")


def _whole(name: str, written: Any, *, least: int) -> int:
    is_whole = isinstance(written, int | float) and not isinstance(written, bool) and written == int(written)
    if not is_whole or not least <= written < 2**62:
        raise BadPipeline(f"{name} takes a whole number from {least} on.")
    return int(written)


def unwind(written: Any, relation: Relation, binder: Binder) -> Relation:
    """A document for every item of a list."""
    parts = {"path": written} if isinstance(written, str) else written
    known = {"path", "includeArrayIndex", "preserveNullAndEmptyArrays"}
    if not isinstance(parts, dict) or not {"path"} <= set(parts) <= known:
        raise BadPipeline(f"$unwind takes “$field” or a document with: {', '.join(sorted(known))}.")
    path = parts["path"]
    if not isinstance(path, str) or not path.startswith("$") or "." in path or path.startswith("$$"):
        raise BadPipeline("$unwind: the path is a field at the top of the document, such as $tags.")
    name = path[1:]
    value = relation.scope(binder).field_at(name)
    items = value.sql if isinstance(value.kind, ListOf) else _as_list(value)
    kind = value.kind.item if isinstance(value.kind, ListOf) else value.kind
    if parts.get("preserveNullAndEmptyArrays") is True:
        items = f"CASE WHEN coalesce(len({items}), 0) = 0 THEN [NULL] ELSE {items} END"
    fields = [(each, column) for each, column in relation.fields(binder) if each != name]
    place = next((n for n, member in enumerate(relation.members) if member.name == name), len(fields))
    fields.insert(place, (name, Typed(f"unnest({items})", kind, is_missing_when_null=True)))
    index = (
        f"unnest(CASE WHEN len({items}) = 1 AND {items}[1] IS NULL THEN [NULL] ELSE range(len({items})) END)"
    )
    if "includeArrayIndex" in parts:
        fields.append((check_name(parts["includeArrayIndex"]), Typed(index, NUMBER)))
    return relation.select(fields, [*relation.orderings[:30], Ordering(index)])


def _as_list(value: Typed) -> str:
    """What is no list is taken for one of a single item."""
    return f"CASE WHEN {value.sql} IS NULL THEN [] ELSE [{value.sql}] END"


STAGES: dict[str, Stage] = {
    "$match": match,
    "$project": project,
    "$addFields": add_fields,
    "$set": add_fields,
    "$unset": unset,
    "$group": group,
    "$sortByCount": sort_by_count,
    "$bucket": bucket,
    "$count": count,
    "$sort": sort,
    "$limit": limit,
    "$skip": skip,
    "$unwind": unwind,
}


def apply(name: str, written: Any, relation: Relation, binder: Binder) -> Relation:
    if name not in STAGES:
        raise UnknownStage(unknown("stage", name, STAGES))
    return STAGES[name](written, relation, binder)
