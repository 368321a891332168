"""What a value of a document can be, and where it stands in MongoDB's order of kinds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Plain(Enum):
    """The value is MongoDB's rank (BSON comparison order): values of different kinds are compared by it."""

    NOTHING = 1
    NUMBER = 2
    TEXT = 3
    BOOLEAN = 8
    MOMENT = 9


@dataclass(frozen=True)
class ListOf:
    item: Kind


@dataclass(frozen=True)
class Member:
    """A named part of a document. Stored fields that are NULL are missing; computed ones are null."""

    name: str
    kind: Kind
    is_missing_when_null: bool = True


@dataclass(frozen=True)
class Document:
    members: tuple[Member, ...]

    def place_of(self, name: str) -> int | None:
        return next((place for place, member in enumerate(self.members) if member.name == name), None)


@dataclass(frozen=True)
class Choice:
    """One of a few constants of several kinds, by its number: the buckets of $bucket and their default."""

    values: tuple[object, ...]


Kind = Plain | ListOf | Document | Choice

NOTHING, NUMBER, TEXT, BOOLEAN, MOMENT = (
    Plain.NOTHING,
    Plain.NUMBER,
    Plain.TEXT,
    Plain.BOOLEAN,
    Plain.MOMENT,
)

_WORDS = {
    NOTHING: "null",
    NUMBER: "a number",
    TEXT: "a text",
    BOOLEAN: "true or false",
    MOMENT: "a date",
}


def rank(kind: Kind) -> int:
    match kind:
        case Plain():
            return kind.value
        case Document():
            return 4
        case ListOf():
            return 5
        case Choice():
            return 3


def word(kind: Kind) -> str:
    match kind:
        case Plain():
            return _WORDS[kind]
        case ListOf():
            return "a list"
        case Document():
            return "a document"
        case Choice():
            return "a bucket"


def is_like(one: Kind, other: Kind) -> bool:
    """Whether values of the two can be equal and ordered among themselves."""
    if isinstance(one, ListOf) and isinstance(other, ListOf):
        return NOTHING in (one.item, other.item) or is_like(one.item, other.item)
    if isinstance(one, Document) and isinstance(other, Document):
        return len(one.members) == len(other.members) and all(
            mine.name == theirs.name and is_like(mine.kind, theirs.kind)
            for mine, theirs in zip(one.members, other.members, strict=True)
        )
    return one == other


def sql_type(kind: Kind) -> str:
    """For casts of what would have no type of its own."""
    match kind:
        case Plain():
            return {
                NOTHING: "INTEGER",
                NUMBER: "DOUBLE",
                TEXT: "VARCHAR",
                BOOLEAN: "BOOLEAN",
                MOMENT: "TIMESTAMP",
            }[kind]
        case ListOf():
            return f"{sql_type(kind.item)}[]"
        case Document():
            inside = ", ".join(
                f"f{place} {sql_type(member.kind)}" for place, member in enumerate(kind.members)
            )
            return f"STRUCT({inside})"
        case Choice():
            return "INTEGER"
