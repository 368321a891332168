"""Stars: a person's favourites among sources, versions and captures."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive.models import Capture, Favourite, FavouriteKind
from ronda.archive.queries import capture_seen, captures_in
from ronda.errors import NotFound
from ronda.rounds.models import Source, Version
from ronda.rounds.queries import source_seen, version_seen, visible_sources, visible_versions


@dataclass(frozen=True)
class Starred:
    """A favourite with the thing it is about."""

    kind: FavouriteKind
    key: str
    starred_at: datetime
    thing: Source | Version | Capture


def star(*, actor: Person | None, kind: FavouriteKind, key: str) -> None:
    """Starring twice is the same as once."""
    person = require(actor)
    thing = _seen(person, kind, key)
    Favourite.objects.get_or_create(person=person, kind=kind, key=str(thing.pk))


def unstar(*, actor: Person | None, kind: FavouriteKind, key: str) -> None:
    """Also of what is no longer there, or was never starred."""
    Favourite.objects.filter(person=require(actor), kind=kind, key=key.lower()).delete()


def is_starred(*, actor: Person | None, kind: FavouriteKind, key: object) -> bool:
    return Favourite.objects.filter(person=require(actor), kind=kind, key=str(key)).exists()


def favourites(*, actor: Person | None) -> list[Starred]:
    """Newest first; what is gone or no longer to be seen is left out."""
    person = require(actor)
    stars = list(Favourite.objects.filter(person=person).order_by("-starred_at", "pk"))
    keys = {kind: [one.key for one in stars if one.kind == kind] for kind in FavouriteKind}
    things: dict[tuple[str, str], Source | Version | Capture] = {}
    for source in (
        visible_sources(person).select_related("collection").filter(pk__in=keys[FavouriteKind.SOURCE])
    ):
        things[FavouriteKind.SOURCE, str(source.pk)] = source
    for version in (
        visible_versions(person).select_related("source").filter(pk__in=keys[FavouriteKind.VERSION])
    ):
        things[FavouriteKind.VERSION, str(version.pk)] = version
    for capture in (
        captures_in(person, "").select_related("collection").filter(pk__in=keys[FavouriteKind.CAPTURE])
    ):
        things[FavouriteKind.CAPTURE, str(capture.pk)] = capture
    return [
        Starred(FavouriteKind(one.kind), one.key, one.starred_at, things[one.kind, one.key])
        for one in stars
        if (one.kind, one.key) in things
    ]


def _seen(person: Person, kind: FavouriteKind, key: str) -> Source | Version | Capture:
    try:
        match kind:
            case FavouriteKind.SOURCE:
                return source_seen(person, uuid.UUID(key))
            case FavouriteKind.VERSION:
                return version_seen(person, uuid.UUID(key))
            case FavouriteKind.CAPTURE:
                return capture_seen(person, _number(key))
    except ValueError:
        raise NotFound() from None


def _number(key: str) -> int:
    if not key.isascii() or not key.isdigit() or len(key) > 18:
        raise ValueError(key)
    return int(key)
