"""Collections and topics: make them, edit them, and say who may see what."""

from __future__ import annotations

import re

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.errors import CollectionTaken, NotOfItsPeople, TopicTaken
from ronda.archive.models import Collection, Topic
from ronda.archive.queries import collection_seen, visible_collections
from ronda.errors import InvalidInput

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
LARGEST_CODE = 32_767


def make_collection(
    *, actor: Person | None, slug: str, name: str, description: str = "", is_public: bool = True
) -> Collection:
    """A director's. One that is not public is seen by directors and by the people added to it."""
    require(actor, Role.DIRECTOR)
    if len(slug) > 60 or not re.match(SLUG, slug):
        raise InvalidInput(
            "A short name has up to 60 small letters, digits and hyphens between them.", field="slug"
        )
    made = Collection(slug=slug, is_public=is_public)
    _describe(made, name, description)
    return _saved(made)


def edit_collection(
    *,
    actor: Person | None,
    slug: str,
    name: str | None = None,
    description: str | None = None,
    is_public: bool | None = None,
) -> Collection:
    """What is None stays. The short name stays for good: WARC files and addresses have it in them."""
    require(actor, Role.DIRECTOR)
    found = collection_seen(actor, slug)
    _describe(
        found,
        found.name if name is None else name,
        found.description if description is None else description,
    )
    found.is_public = found.is_public if is_public is None else is_public
    return _saved(found)


def add_person(*, actor: Person | None, slug: str, email: str) -> Person:
    """Somebody with an account, by mail address."""
    require(actor, Role.DIRECTOR)
    found = collection_seen(actor, slug)
    person = (
        Person.objects.annotate(address=Lower("email"))
        .filter(address=email.strip().lower(), is_active=True)
        .first()
    )
    if person is None:
        raise InvalidInput("Nobody with this mail address has an account.", field="email")
    found.people.add(person)
    return person


def remove_person(*, actor: Person | None, slug: str, person_id: int) -> None:
    require(actor, Role.DIRECTOR)
    found = collection_seen(actor, slug)
    if not found.people.filter(pk=person_id).exists():
        raise NotOfItsPeople()
    found.people.remove(person_id)


def people_of(*, actor: Person | None, slug: str) -> QuerySet[Person]:
    """Mail addresses are shown to those who decide who is let in."""
    require(actor, Role.DIRECTOR)
    return collection_seen(actor, slug).people.order_by("email")


def add_topic(*, actor: Person | None, code: int, name: str) -> Topic:
    require(actor, Role.DIRECTOR)
    if not 1 <= code <= LARGEST_CODE:
        raise InvalidInput("A code is a number from 1 to 32,767.", field="code")
    topic = Topic(code=code, name=_named(name))
    try:
        with transaction.atomic():
            topic.save(force_insert=True)
    except IntegrityError:
        raise TopicTaken() from None
    return topic


def collection_wanted(*, actor: Person | None, slug: str) -> Collection:
    """For a field that names one: what is missing there is that field's fault."""
    found = visible_collections(actor).filter(slug=slug).first()
    if found is None:
        raise InvalidInput("There is no such collection, or it is not yours to see.", field="collection")
    return found


def topic_wanted(*, code: int) -> Topic:
    found = Topic.objects.filter(pk=code).first() if 0 <= code <= LARGEST_CODE else None
    if found is None:
        raise InvalidInput("There is no topic with this code.", field="topic")
    return found


def _describe(collection: Collection, name: str, description: str) -> None:
    collection.name = _named(name)
    collection.description = description.strip()
    if len(description) > 2000 or "\0" in description:
        raise InvalidInput("A description has at most 2,000 characters.", field="description")


def _named(name: str) -> str:
    name = name.strip()
    if not name or len(name) > 120 or not name.isprintable():
        raise InvalidInput("Give a name of 1 to 120 printable characters.", field="name")
    return name


def _saved(collection: Collection) -> Collection:
    try:
        with transaction.atomic():
            collection.save()
    except IntegrityError:
        raise CollectionTaken() from None
    return collection
