"""What can be asked about sources and versions, as far as the actor may see their collections."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet

from ronda.accounts.models import Person
from ronda.archive.queries import visible_collections
from ronda.rounds.errors import NoSuchSource, NoSuchVersion
from ronda.rounds.models import Source, Version


def visible_sources(actor: Person | None) -> QuerySet[Source]:
    return Source.objects.filter(collection__in=visible_collections(actor).values("pk"))


def visible_versions(actor: Person | None) -> QuerySet[Version]:
    return Version.objects.filter(
        source__collection__in=visible_collections(actor).values("pk"), forgotten_at=None
    )


def source_seen(actor: Person | None, source_id: uuid.UUID) -> Source:
    found = visible_sources(actor).select_related("collection", "topic", "owner").filter(pk=source_id).first()
    if found is None:
        raise NoSuchSource()
    return found


def version_seen(actor: Person | None, version_id: uuid.UUID) -> Version:
    found = visible_versions(actor).select_related("source", "visit").filter(pk=version_id).first()
    if found is None:
        raise NoSuchVersion()
    return found
