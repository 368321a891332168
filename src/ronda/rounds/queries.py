"""What can be asked about sources, visits and versions, as far as the actor may see their collections."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive.queries import visible_collections
from ronda.rounds.errors import NoSuchSource, NoSuchVersion, NoSuchVisit
from ronda.rounds.models import PageState, Source, Version, Visit, VisitPage, VisitState
from ronda.rounds.wishes import canonical

# What a list of sources may be sorted by, and the field it means.
SORTABLE = {
    "url": "url",
    "title": "title",
    "state": "state",
    "collection": "collection__name",
    "created_at": "created_at",
    "visited_at": "visited_at",
    "next_visit_at": "next_visit_at",
    "versions": "version_count",
    "version_at": "version_at",
    "bytes_stored": "stored_bytes",
}


@dataclass(frozen=True)
class SourceFilter:
    """Which sources one looks for; what is empty does not matter."""

    collection: str = ""
    topic: int | None = None
    state: str = ""
    tag: str = ""
    search: str = ""
    url: str = ""
    is_mine: bool = False

    @property
    def is_set(self) -> bool:
        return self != SourceFilter()


def visible_sources(actor: Person | None) -> QuerySet[Source]:
    return Source.objects.filter(collection__in=visible_collections(actor).values("pk"))


def visible_versions(actor: Person | None) -> QuerySet[Version]:
    return Version.objects.filter(
        source__collection__in=visible_collections(actor).values("pk"), forgotten_at=None
    )


def visible_visits(actor: Person | None) -> QuerySet[Visit]:
    return Visit.objects.filter(source__collection__in=visible_collections(actor).values("pk"))


def source_seen(actor: Person | None, source_id: uuid.UUID) -> Source:
    found = visible_sources(actor).select_related("collection", "topic", "owner").filter(pk=source_id).first()
    if found is None:
        raise NoSuchSource()
    return found


def version_seen(actor: Person | None, version_id: uuid.UUID) -> Version:
    found = (
        visible_versions(actor)
        .select_related("source", "source__collection", "visit", "weight__returns_to")
        .filter(pk=version_id)
        .first()
    )
    if found is None:
        raise NoSuchVersion()
    return found


def visit_seen(actor: Person | None, visit_id: int) -> Visit:
    found = (
        visible_visits(actor)
        .select_related("source", "source__collection", "version")
        .filter(pk=visit_id)
        .first()
    )
    if found is None:
        raise NoSuchVisit()
    return found


def sources(*, actor: Person | None, wanted: SourceFilter) -> QuerySet[Source]:
    """With `version_count`, `version_at` and `stored_bytes` of the versions that were not forgotten."""
    found = visible_sources(actor).select_related("collection", "topic", "owner").annotate(**_of_versions())
    if wanted.collection:
        found = found.filter(collection__slug=wanted.collection)
    if wanted.topic is not None:
        found = found.filter(topic=wanted.topic)
    if wanted.state:
        found = found.filter(state=wanted.state)
    if wanted.tag:
        found = found.filter(tags__contains=[wanted.tag])
    if wanted.url:
        found = found.filter(url=canonical(wanted.url))
    if wanted.is_mine:
        found = found.filter(owner=require(actor))
    return found.filter(_mentions(wanted.search)) if wanted.search else found


def _mentions(words: str) -> Q:
    """Every word somewhere in what people wrote about it."""
    found = Q()
    for word in words.split():
        anywhere = Q(url__icontains=word) | Q(title__icontains=word) | Q(notes__icontains=word)
        found &= anywhere | Q(tags__contains=[word])
    return found


def _of_versions() -> dict[str, Any]:
    kept = Version.objects.filter(source=OuterRef("pk"), forgotten_at=None).order_by().values("source")
    return {
        "version_count": Coalesce(
            Subquery(kept.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0
        ),
        "version_at": Subquery(kept.annotate(n=Max("ended_at")).values("n")),
        "stored_bytes": Coalesce(Subquery(kept.annotate(n=Sum("bytes_stored")).values("n")), 0),
    }


def tags_in_use(*, actor: Person | None) -> list[str]:
    names = visible_sources(actor).exclude(tags=[]).values_list("tags", flat=True)
    return sorted({tag for tags in names for tag in tags})


def open_visit(source: Source) -> Visit | None:
    """Whoever asks has seen the source."""
    return source.visits.exclude(state=VisitState.ENDED).first()


def versions_of(*, actor: Person | None, source_id: uuid.UUID) -> QuerySet[Version]:
    source_seen(actor, source_id)
    return visible_versions(actor).filter(source=source_id).select_related("weight__returns_to")


def forgotten_versions(
    *, actor: Person | None, source_id: uuid.UUID | None = None, collection: str = ""
) -> QuerySet[Version]:
    """Who forgot what, when and why, newest first: of a source, a collection, or all the actor may see."""
    found = Version.objects.filter(
        source__collection__in=visible_collections(actor).values("pk"), forgotten_at__isnull=False
    )
    if source_id is not None:
        found = found.filter(source=source_seen(actor, source_id))
    if collection:
        found = found.filter(source__collection__slug=collection)
    return found.select_related("source", "forgotten_by").order_by("-forgotten_at")


def visits_of(*, actor: Person | None, source_id: uuid.UUID) -> QuerySet[Visit]:
    return source_seen(actor, source_id).visits.select_related("version")


# As `VisitPage.is_as_before` says it. Of what refers to nothing, nothing is known and not asked.
_AS_BEFORE = Q(is_unchanged=True) | Q(
    capture__refers_to__isnull=False, capture__refers_to__url_digest=F("url_digest")
)


def pages_of(
    *, actor: Person | None, version_id: uuid.UUID, search: str = "", kind: str = ""
) -> QuerySet[VisitPage]:
    """What a version is made of, and what should have been.

    `kind`: a state of pages, `kept`, `new`, `unchanged` or `cut`.
    """
    version = version_seen(actor, version_id)
    found = version.visit.pages.select_related("capture__refers_to")
    if search:
        found = found.filter(url__icontains=search.strip())
    match kind:
        case "unchanged":
            return found.filter(_AS_BEFORE, state=PageState.DONE)
        case "new":
            return found.filter(~_AS_BEFORE, state=PageState.DONE)
        case "cut":
            return found.filter(capture__isnull=False).exclude(capture__truncated="")
        case "kept":
            return found.filter(state=PageState.DONE)
        case "":
            return found
    return found.filter(state=kind)


def neighbours(version: Version) -> tuple[Version | None, Version | None]:
    """The versions before and after it."""
    kept = Version.objects.filter(source=version.source_id, forgotten_at=None)
    before = kept.filter(number__lt=version.number).order_by("-number").first()
    return before, kept.filter(number__gt=version.number).order_by("number").first()


def source_shown(*, actor: Person | None, source_id: uuid.UUID) -> Source:
    """One source as `sources` has it, with the numbers of its versions."""
    found = sources(actor=actor, wanted=SourceFilter()).filter(pk=source_id).first()
    if found is None:
        raise NoSuchSource()
    return found


def version_of(visit: Visit) -> Version | None:
    """What a visit kept, unless that was forgotten. Whoever asks has seen the visit."""
    return Version.objects.filter(visit=visit, forgotten_at=None).first()
