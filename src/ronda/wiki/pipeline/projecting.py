"""The stages that change what a document shows: $project, $addFields, $unset."""

from __future__ import annotations

from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.expressions import compile_expression
from ronda.wiki.pipeline.kinds import Document
from ronda.wiki.pipeline.relations import Relation, check_name
from ronda.wiki.pipeline.scope import Scope, inside
from ronda.wiki.pipeline.typed import MISSING, Binder, Typed, document_of


def project(written: Any, relation: Relation, binder: Binder) -> Relation:
    if not isinstance(written, dict) or not written:
        raise BadPipeline("$project takes a document of fields: 1 to show, 0 to leave out, or what to show.")
    spec = _as_tree(written)
    others = [wish for name, wish in spec.items() if name != "_id"]
    leaves_out = [_is_left_out(wish) for wish in others] or [_is_left_out(spec["_id"])]
    if all(leaves_out):
        return _without(spec, relation, binder)
    if any(leaves_out):
        raise BadPipeline("$project either names what to show or what to leave out, not both (but for _id).")
    return _only(spec, relation, binder)


def _as_tree(written: dict[str, Any]) -> dict[str, Any]:
    """`{"_id.user": 1}` as `{"_id": {"user": 1}}`."""
    tree: dict[str, Any] = {}
    for path, wish in written.items():
        names = [check_name(name) for name in str(path).split(".")]
        level = tree
        for name in names[:-1]:
            level = level.setdefault(name, {})
            if not isinstance(level, dict):
                raise BadPipeline(f"$project names {path[:80]} twice.")
        if names[-1] in level:
            raise BadPipeline(f"$project names {path[:80]} twice.")
        level[names[-1]] = wish
    return tree


def _is_flag(wish: Any) -> bool:
    return isinstance(wish, bool | int | float)


def _is_left_out(wish: Any) -> bool:
    if isinstance(wish, dict) and wish and not any(str(name).startswith("$") for name in wish):
        return all(_is_left_out(each) for each in wish.values())
    return _is_flag(wish) and not wish


def _only(spec: dict[str, Any], relation: Relation, binder: Binder) -> Relation:
    scope = relation.scope(binder)
    fields: list[tuple[str, Typed]] = []
    # Fields that are shown keep the document's order; what is computed comes behind them.
    shown = {"_id": 1, **spec}
    for name, column in relation.fields(binder):
        wish = shown.get(name)
        if wish is not None and not _is_computed(wish, column) and not _is_left_out(wish):
            fields.append((name, _picked(wish, column, scope)))
    for name, wish in spec.items():
        current = scope.field_at(name)
        if _is_computed(wish, current):
            value = _picked(wish, current, scope)
            if value is not MISSING:
                fields.append((check_name(name), value))
    return relation.select(fields)


def _is_computed(wish: Any, current: Typed) -> bool:
    if isinstance(wish, dict):
        is_operator = any(str(name).startswith("$") for name in wish)
        return is_operator or not isinstance(current.kind, Document)
    return not _is_flag(wish)


def _picked(wish: Any, current: Typed, scope: Scope) -> Typed:
    """What a wish shows of a field: the field itself, parts of it, or something computed."""
    if _is_flag(wish):
        return current
    if isinstance(wish, dict) and not any(str(name).startswith("$") for name in wish):
        parts = []
        for name, inner in wish.items():
            value = _picked(inner, inside(current, [name], scope.depth), scope.deeper())
            if value is not MISSING:
                parts.append((check_name(name), value))
        return document_of(parts) if parts else MISSING
    return compile_expression(wish, scope)


def _without(spec: dict[str, Any], relation: Relation, binder: Binder) -> Relation:
    fields = []
    for name, column in relation.fields(binder):
        left = _remaining(spec[name], column) if name in spec else column
        if left is not None:
            fields.append((name, left))
    return relation.select(fields)


def _remaining(wish: Any, current: Typed) -> Typed | None:
    """The document without the parts that are left out; None when nothing is left."""
    if not isinstance(wish, dict):
        return None if not wish else current
    if not isinstance(current.kind, Document):
        return current
    parts = []
    for member in current.kind.members:
        value = inside(current, [member.name], 0)
        left = _remaining(wish[member.name], value) if member.name in wish else value
        if left is not None:
            parts.append((member.name, left))
    return document_of(parts) if parts else None


def add_fields(written: Any, relation: Relation, binder: Binder) -> Relation:
    if not isinstance(written, dict) or not written:
        raise BadPipeline("$addFields takes a document of fields and what they are to be.")
    scope = relation.scope(binder)
    added = {check_name(name): compile_expression(part, scope) for name, part in written.items()}
    fields = [(name, added.pop(name, column)) for name, column in relation.fields(binder)]
    fields += list(added.items())
    return relation.select([(name, value) for name, value in fields if value is not MISSING])


def unset(written: Any, relation: Relation, binder: Binder) -> Relation:
    names = written if isinstance(written, list) else [written]
    return project({check_path(name): 0 for name in names}, relation, binder)


def check_path(name: object) -> str:
    if not isinstance(name, str):
        raise BadPipeline("$unset takes names of fields.")
    return name
