"""What is new of a source since a person last looked at it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.database.named_sql import named_sql
from ronda.rounds.look_models import LastLook
from ronda.rounds.models import Source, Version
from ronda.rounds.queries import source_seen, version_seen, visible_versions


@dataclass(frozen=True)
class News:
    """`seen`: the newest version that is still there of those looked at; none: never looked, or all are forgotten."""

    newest: Version | None = None
    seen: Version | None = None
    # Versions made since.
    count: int = 0


def news_of(*, actor: Person | None, source: Source) -> News:
    versions = visible_versions(actor).filter(source=source)
    newest = _newest(versions)
    number = _number_seen(require(actor), source)
    if newest is None or number is None:
        return News(newest)
    seen = _newest(versions.filter(number__lte=number))
    return News(newest, seen, versions.filter(number__gt=number).count())


def note_look(*, actor: Person | None, version: Version) -> None:
    """Of an older version than one already looked at, nothing is noted."""
    with connection.cursor() as cursor:
        arguments: dict[str, Any] = {
            "person": require(actor).pk,
            "source": version.source_id,
            "number": version.number,
        }
        cursor.execute(named_sql("ronda.rounds", "note_look"), arguments)


def look_at(*, actor: Person | None, source_id: uuid.UUID, version_id: uuid.UUID | None = None) -> News:
    """For programs: the newest version, or the one named, counts as looked at. Pages note it by themselves."""
    source = source_seen(actor, source_id)
    versions = visible_versions(actor).filter(source=source)
    version = version_seen(actor, version_id) if version_id else _newest(versions)
    if version and version.source_id == source.pk:
        note_look(actor=actor, version=version)
    return news_of(actor=actor, source=source)


def _number_seen(person: Person, source: Source) -> int | None:
    return LastLook.objects.filter(person=person, source=source).values_list("number", flat=True).first()


def _newest(versions: QuerySet[Version]) -> Version | None:
    return versions.order_by("-number").first()
