"""What an expression can refer to: fields of the document at hand, and variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ronda.wiki.pipeline.errors import BadPipeline, UnknownOperator
from ronda.wiki.pipeline.kinds import Document, Kind, ListOf, Member
from ronda.wiki.pipeline.typed import MISSING, Binder, Typed, document_of

MAX_DEPTH = 40


@dataclass(frozen=True)
class Scope:
    """`members[3]` is the column s.c3. A variable is written $$name."""

    members: tuple[Member, ...]
    binder: Binder
    variables: Mapping[str, Typed] = field(default_factory=dict)
    depth: int = 0

    def deeper(self) -> Scope:
        if self.depth >= MAX_DEPTH:
            raise BadPipeline(f"Expressions are nested at most {MAX_DEPTH} deep.")
        return replace(self, depth=self.depth + 1)

    def with_variable(self, name: str, value: Typed) -> Scope:
        return replace(self, variables={**self.variables, name: value})

    def column(self, place: int) -> Typed:
        member = self.members[place]
        return Typed(f"s.c{place}", member.kind, member.is_missing_when_null)

    def field_at(self, path: str) -> Typed:
        """`a.b.c`: what is not there is missing, as in MongoDB."""
        names = path.split(".")
        if not all(names):
            raise BadPipeline(f"“{path[:80]}” is no name of a field.")
        root = next((place for place, member in enumerate(self.members) if member.name == names[0]), None)
        return MISSING if root is None else inside(self.column(root), names[1:], self.depth)

    def variable(self, written: str) -> Typed:
        """`$$name.path`"""
        name, *path = written.removeprefix("$$").split(".")
        if name == "NOW":
            return self.binder.moment(self.binder.now)
        if name in ("ROOT", "CURRENT"):
            if path:
                return self.field_at(".".join(path))
            return document_of([(member.name, self.column(n)) for n, member in enumerate(self.members)])
        if name not in self.variables:
            raise UnknownOperator(f"There is no variable $${name[:60]} here.")
        return inside(self.variables[name], path, self.depth)


def inside(value: Typed, path: list[str], depth: int) -> Typed:
    """Into documents, and through lists of documents: the list of what each has there."""
    if not path:
        return value
    match value.kind:
        case Document() as kind:
            place = kind.place_of(path[0])
            if place is None:
                return MISSING
            member = kind.members[place]
            return inside(
                Typed(f"({value.sql}).f{place}", member.kind, member.is_missing_when_null), path[1:], depth
            )
        case ListOf(item=item):
            name = f"e{depth}_{len(path)}"
            each = inside(Typed(name, item), path, depth)
            if each is MISSING:
                return MISSING
            kind_of_items: Kind = each.kind
            taken = f"list_transform({value.sql}, lambda {name}: {each.sql})"
            if each.is_missing_when_null:
                taken = f"list_filter({taken}, lambda {name}: {name} IS NOT NULL)"
            return Typed(taken, ListOf(kind_of_items), value.is_missing_when_null)
    return MISSING
