"""What can be asked about captures."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.errors import NoSuchCapture, NoSuchCollection
from ronda.archive.models import AUTHORITY, Capture, Collection

# Whoever may read, and whoever decides what there is to read.
READERS = (Role.READER, Role.SUBSCRIBER, Role.DIRECTOR)


def captures_of_host(name: str) -> QuerySet[Capture]:
    """Newest first. Needs no role of its own: whoever shows them has checked who looks."""
    return Capture.objects.alias(authority=AUTHORITY).filter(authority=name, voided_at=None).order_by("-pk")


def visible_collections(actor: Person | None) -> QuerySet[Collection]:
    """Public ones, and those the actor is one of; a director and an administrator see all."""
    person = require(actor, *READERS)
    if person.has_role(Role.ADMINISTRATOR, Role.DIRECTOR):
        return Collection.objects.all()
    return Collection.objects.filter(Q(is_public=True) | Q(people=person)).distinct()


def collection_seen(actor: Person | None, slug: str) -> Collection:
    found = visible_collections(actor).filter(slug=slug).first()
    if found is None:
        raise NoSuchCollection()
    return found


def slugs_of(collections: Iterable[int | None]) -> dict[int | None, str]:
    """The short names of some collections, for the records that name them."""
    wanted = {number for number in collections if number is not None}
    return dict(Collection.objects.filter(pk__in=wanted).values_list("pk", "slug")) if wanted else {}


def visible_captures(actor: Person | None) -> QuerySet[Capture]:
    """What the actor may find and replay: kept for a collection they may see, neither wrong nor forgotten."""
    return Capture.objects.filter(
        collection__in=visible_collections(actor).values("pk"), voided_at=None, forgotten_at=None
    )


def collections_seen(actor: Person | None, collection: str) -> list[int]:
    """The actor's collections, or the one of this short name, by number: the planner then knows how large they are."""
    seen = visible_collections(actor)
    if collection:
        seen = seen.filter(slug=collection)
    keys = list(seen.values_list("pk", flat=True))
    if collection and not keys:
        raise NoSuchCollection()
    return keys


def captures_in(actor: Person | None, collection: str) -> QuerySet[Capture]:
    """What the actor may find in a collection, by its short name; without one, in all of them."""
    keys = collections_seen(actor, collection)
    return Capture.objects.filter(collection__in=keys, voided_at=None, forgotten_at=None)


def capture_seen(actor: Person | None, capture_id: int) -> Capture:
    found = captures_in(actor, "").select_related("collection", "file").filter(pk=capture_id).first()
    if found is None:
        raise NoSuchCapture()
    return found
