"""A piece of SQL and what it gives; and the values bound to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ronda.wiki.pipeline.errors import BadPipeline
from ronda.wiki.pipeline.kinds import (
    BOOLEAN,
    MOMENT,
    NOTHING,
    NUMBER,
    TEXT,
    Document,
    Kind,
    ListOf,
    Member,
    is_like,
    word,
)

MAX_VALUES = 10_000
_WHOLE = range(-(2**63), 2**63)


class _NoConstant:
    pass


NO_CONSTANT = _NoConstant()


@dataclass(frozen=True)
class Typed:
    """`constant`: the value itself where it stands in the pipeline, so that a text can still become a date."""

    sql: str
    kind: Kind
    is_missing_when_null: bool = False
    constant: Any = field(default=NO_CONSTANT, compare=False)

    @property
    def is_constant(self) -> bool:
        return self.constant is not NO_CONSTANT


MISSING = Typed("NULL", NOTHING, is_missing_when_null=True)
NULL = Typed("NULL", NOTHING, constant=None)


@dataclass
class Binder:
    """Collects what is bound: `$p0`, `$p1` … stand for values in the SQL, which never holds one itself."""

    date_format: str
    now: datetime
    values: dict[str, Any] = field(default_factory=dict)

    def _bound(self, value: Any, cast: str) -> str:
        if len(self.values) >= MAX_VALUES:
            raise BadPipeline(f"A pipeline has at most {MAX_VALUES:,} values.")
        name = f"p{len(self.values)}"
        self.values[name] = value
        return f"${name}::{cast}"

    def number(self, value: int | float) -> Typed:
        if isinstance(value, int) and value in _WHOLE:
            return Typed(self._bound(value, "BIGINT"), NUMBER, constant=value)
        return Typed(self._bound(float(value), "DOUBLE"), NUMBER, constant=value)

    def text(self, value: str) -> Typed:
        if "\0" in value:
            raise BadPipeline("A text holds the character NUL, which no revision has.")
        return Typed(self._bound(value, "VARCHAR"), TEXT, constant=value)

    def boolean(self, value: bool) -> Typed:
        return Typed("TRUE" if value else "FALSE", BOOLEAN, constant=value)

    def moment(self, value: datetime) -> Typed:
        naive = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return Typed(self._bound(naive, "TIMESTAMP"), MOMENT, constant=naive)

    def constant(self, value: Any) -> Typed:
        """A literal of the pipeline as it is: no field names, no operators in it."""
        match value:
            case None:
                return NULL
            case bool():
                return self.boolean(value)
            case int() | float():
                return self.number(value)
            case str():
                return self.text(value)
            case datetime():
                return self.moment(value)
            case list():
                return list_of([self.constant(item) for item in value], where="a list")
            case dict() if set(value) == {"$date"}:
                return self.moment(self.read_date(value["$date"]))
        raise BadPipeline("A constant is null, true, false, a number, a text, a date or a list of those.")

    def read_date(self, value: Any) -> datetime:
        """As `date_format` has it, or as ISO 8601 has it; numbers are milliseconds since 1970."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._from_milliseconds(value)
        if isinstance(value, str):
            for read in (self._as_formatted, datetime.fromisoformat):
                try:
                    return read(value)
                except ValueError:
                    continue
        raise BadPipeline(
            f"{value!r:.80} is no date: dates here are written as {self.date_format} or as ISO 8601.",
            hint="The parameter date_format says how they are written.",
        )

    def _as_formatted(self, value: str) -> datetime:
        return datetime.strptime(value, self.date_format)  # noqa: DTZ007  (dates of a wiki are UTC)

    def _from_milliseconds(self, value: float) -> datetime:
        try:
            return datetime.fromtimestamp(value / 1000, UTC)
        except (ValueError, OverflowError, OSError):
            raise BadPipeline(f"{value!r} is no date.") from None

    def as_moment(self, value: Typed) -> Typed:
        """A constant text beside a date is one, too."""
        if value.is_constant and isinstance(value.constant, str):
            return self.moment(self.read_date(value.constant))
        return value

    def alike(self, one: Typed, other: Typed) -> tuple[Typed, Typed]:
        """Both as they are compared: texts beside dates are read as dates, also within lists."""
        if one.kind == MOMENT:
            return one, self._dated(other)
        if other.kind == MOMENT:
            return self._dated(one), other
        return one, other

    def _dated(self, value: Typed) -> Typed:
        if value.is_constant and isinstance(value.constant, list):
            items = [self.as_moment(self.constant(item)) for item in value.constant]
            return list_of(items, where="a list", constant=value.constant)
        return self.as_moment(value)


def list_of(items: list[Typed], *, where: str, constant: Any = NO_CONSTANT) -> Typed:
    kind = common_kind([item.kind for item in items], where)
    if all(item.is_constant for item in items) and constant is NO_CONSTANT:
        constant = [item.constant for item in items]
    return Typed(f"[{', '.join(item.sql for item in items)}]", ListOf(kind), constant=constant)


def common_kind(kinds: list[Kind], where: str) -> Kind:
    """The one kind of several values; null goes with all."""
    found: Kind = NOTHING
    for kind in kinds:
        if kind == NOTHING:
            continue
        if found == NOTHING:
            found = kind
        elif not is_like(found, kind):
            raise BadPipeline(
                f"{where} mixes {word(found)} with {word(kind)}.",
                hint="All values there have to be of one kind, or null.",
            )
    return found


def document_of(parts: list[tuple[str, Typed]]) -> Typed:
    """A struct with members of our own names, f0, f1 …"""
    if not parts:
        raise BadPipeline("A document here needs at least one field.")
    packed = ", ".join(f"f{place} := {part.sql}" for place, (_name, part) in enumerate(parts))
    members = tuple(Member(name, part.kind, part.is_missing_when_null) for name, part in parts)
    return Typed(f"struct_pack({packed})", Document(members))
