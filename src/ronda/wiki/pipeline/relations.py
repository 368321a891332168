"""What a stage gives to the next: a SELECT, what its columns mean, and the order its rows are in.

Columns c0, c1 … hold the fields. Columns o0, o1 … hold what the rows are ordered by, carried along unseen, as a field
that was sorted by may be projected away. The order is written out only where it matters: at $limit, in $push, at the
end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.kinds import Member
from ronda.wiki.pipeline.scope import Scope
from ronda.wiki.pipeline.typed import Binder, Typed

MAX_FIELDS = 200
MAX_ORDER = 32
MAX_SQL = 500_000


@dataclass(frozen=True)
class Ordering:
    """`sql` gives the value to order by. Nothing comes before something, as in MongoDB."""

    sql: str
    is_descending: bool = False


@dataclass(frozen=True)
class Relation:
    sql: str
    members: tuple[Member, ...]
    descending: tuple[bool, ...]

    def scope(self, binder: Binder) -> Scope:
        return Scope(self.members, binder)

    @property
    def orderings(self) -> list[Ordering]:
        return [Ordering(f"s.o{place}", falls) for place, falls in enumerate(self.descending)]

    @property
    def order_by(self) -> str:
        return ", ".join(
            f"s.o{place} {'DESC NULLS LAST' if falls else 'ASC NULLS FIRST'}"
            for place, falls in enumerate(self.descending)
        )

    def fields(self, binder: Binder) -> list[tuple[str, Typed]]:
        scope = self.scope(binder)
        return [(member.name, scope.column(place)) for place, member in enumerate(self.members)]

    def select(
        self,
        fields: Sequence[tuple[str, Typed]],
        orderings: Sequence[Ordering] | None = None,
        *,
        rest: str = "",
    ) -> Relation:
        """The next relation, read from this one; `rest` is what follows the FROM."""
        if len(fields) > MAX_FIELDS:
            raise BadPipeline(f"A document has at most {MAX_FIELDS} fields.")
        order = list(self.orderings if orderings is None else orderings)[:MAX_ORDER]
        columns = [f"{part.sql} AS c{place}" for place, (_name, part) in enumerate(fields)]
        columns += [f"{each.sql} AS o{place}" for place, each in enumerate(order)]
        if sum(map(len, columns)) > MAX_SQL:
            raise BadPipeline("The stage is too long: compute less at once.")
        return Relation(
            f"SELECT {', '.join(columns)} FROM ({self.sql}) AS s {rest}".rstrip(),
            tuple(Member(name, part.kind, part.is_missing_when_null) for name, part in fields),
            tuple(each.is_descending for each in order),
        )

    def narrowed(self, rest: str) -> Relation:
        """The same columns of fewer rows."""
        return replace(self, sql=f"SELECT s.* FROM ({self.sql}) AS s {rest}")


def check_name(name: object) -> str:
    """A field's name as MongoDB takes it at the top of a document."""
    if (
        not isinstance(name, str)
        or not 1 <= len(name) <= 200
        or name[0] == "$"
        or "." in name
        or "\0" in name
    ):
        raise BadPipeline(f"“{str(name)[:80]}” cannot be the name of a field here.")
    return name
