"""API of collections and topics."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive import collections
from ronda.archive.models import Collection, Topic
from ronda.archive.queries import READERS, collection_seen, visible_collections
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate

collections_router = Router(tags=["Collections"])
topics_router = Router(tags=["Collections"])

Slug = Annotated[str, StringConstraints(max_length=60, pattern=collections.SLUG)]
Name = Annotated[ShortText, Field(min_length=1, max_length=120)]
Description = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]


class CollectionOut(Schema):
    slug: str
    name: str
    description: str
    is_public: bool
    created_at: datetime


class CollectionIn(Input):
    slug: Annotated[Slug, Field(description="Its short name, for addresses and commands; it stays.")]
    name: Name
    description: Description = ""
    is_public: Annotated[bool, Field(description="For everybody who may read; else for its people.")] = True


class CollectionChange(Input):
    """What is left out stays as it is."""

    name: Name | None = None
    description: Description | None = None
    is_public: bool | None = None


class MemberOut(Schema):
    id: int
    name: str
    email: str


class MemberIn(Input):
    email: Annotated[ShortText, Field(min_length=3)]


class TopicOut(Schema):
    code: int
    name: str


class TopicIn(Input):
    code: Annotated[int, Field(ge=1, le=collections.LARGEST_CODE)]
    name: Name


@collections_router.get("", response=PageOf[CollectionOut], summary="Collections I may see")
def list_collections(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {name: name for name in ("slug", "name", "created_at")}
    return paginate(visible_collections(actor_of(request)), wanted, sortable=fields, default="name")


@collections_router.post("", response={201: CollectionOut}, summary="Make a collection (directors)")
def make_collection(request: HttpRequest, payload: CollectionIn) -> Status[Collection]:
    return Status(201, collections.make_collection(actor=actor_of(request), **payload.dict()))


@collections_router.get("/{slug}", response=CollectionOut, summary="One collection")
def show_collection(request: HttpRequest, slug: Slug) -> Collection:
    return collection_seen(actor_of(request), slug)


@collections_router.patch("/{slug}", response=CollectionOut, summary="Change a collection (directors)")
def change_collection(request: HttpRequest, slug: Slug, payload: CollectionChange) -> Collection:
    return collections.edit_collection(actor=actor_of(request), slug=slug, **payload.dict())


@collections_router.get(
    "/{slug}/people", response=list[MemberOut], summary="Who may see it, if it is not public (directors)"
)
def list_people(request: HttpRequest, slug: Slug) -> list[Person]:
    return list(collections.people_of(actor=actor_of(request), slug=slug))


@collections_router.post("/{slug}/people", response={201: MemberOut}, summary="Let somebody in (directors)")
def add_person(request: HttpRequest, slug: Slug, payload: MemberIn) -> Status[Person]:
    return Status(201, collections.add_person(actor=actor_of(request), slug=slug, email=payload.email))


@collections_router.delete(
    "/{slug}/people/{int:person_id}", response={204: None}, summary="Let somebody in no longer (directors)"
)
def remove_person(request: HttpRequest, slug: Slug, person_id: int) -> Status[None]:
    collections.remove_person(actor=actor_of(request), slug=slug, person_id=person_id)
    return Status(204, None)


@topics_router.get("", response=PageOf[TopicOut], summary="Topics, by their codes")
def list_topics(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    require(actor_of(request), *READERS)
    fields = {name: name for name in ("code", "name")}
    return paginate(Topic.objects.all(), wanted, sortable=fields, default="code")


@topics_router.post("", response={201: TopicOut}, summary="Add a topic (directors)")
def add_topic(request: HttpRequest, payload: TopicIn) -> Status[Topic]:
    return Status(201, collections.add_topic(actor=actor_of(request), code=payload.code, name=payload.name))
