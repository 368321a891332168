"""API of people and tokens."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema, Status

from ronda.accounts import queries, services
from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.http.inputs import Input, ShortText
from ronda.http.paging import PageOf, PageRequest, paginate

router = Router(tags=["People"])
people_router = Router(tags=["People"])


class PersonOut(Schema):
    id: int
    email: str
    name: str
    is_active: bool
    roles: list[Role]
    created_at: datetime
    last_login: datetime | None

    @staticmethod
    def resolve_roles(person: Person) -> list[Role]:
        return sorted(person.roles)


class PersonIn(Input):
    email: ShortText
    name: ShortText = ""
    roles: list[Role] = Field(default_factory=list)


class PersonChange(Input):
    roles: list[Role] | None = None
    is_active: bool | None = None


class TokenIn(Input):
    name: ShortText


class TokenOut(Schema):
    id: int
    name: str
    hint: str
    created_at: datetime
    last_used_at: datetime | None


class NewTokenOut(TokenOut):
    token: str


@router.get("/me", response=PersonOut, summary="Who this token speaks for")
def me(request: HttpRequest) -> Person:
    return actor_of(request)


@router.get("/tokens", response=PageOf[TokenOut], summary="My tokens")
def list_tokens(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    fields = {"name": "name", "created_at": "created_at", "last_used_at": "last_used_at"}
    return paginate(queries.tokens(actor=actor_of(request)), wanted, sortable=fields, default="-created_at")


@router.post(
    "/tokens", response={201: NewTokenOut}, summary="Create a token; its secret is in this answer only"
)
def create_token(request: HttpRequest, payload: TokenIn) -> Status[dict[str, Any]]:
    token, secret = services.create_token(actor=actor_of(request), name=payload.name)
    return Status(201, {**TokenOut.from_orm(token).dict(), "token": secret})


@router.delete("/tokens/{int:token_id}", response={204: None}, summary="Revoke a token")
def revoke_token(request: HttpRequest, token_id: int) -> Status[None]:
    services.revoke_token(actor=actor_of(request), token_id=token_id)
    return Status(204, None)


@people_router.get("", response=PageOf[PersonOut], summary="People (administrators)")
def list_people(
    request: HttpRequest, wanted: Query[PageRequest], search: ShortText = "", role: Role | None = None
) -> Any:
    fields = {"email": "email", "name": "name", "created_at": "created_at", "last_login": "last_login"}
    people = queries.people(actor=actor_of(request), search=search, role=role)
    return paginate(people, wanted, sortable=fields, default="email")


@people_router.post("", response={201: PersonOut}, summary="Add a person (administrators)")
def add_person(request: HttpRequest, payload: PersonIn) -> Status[Person]:
    return Status(
        201,
        services.add_person(
            actor=actor_of(request), email=payload.email, name=payload.name, roles=payload.roles
        ),
    )


@people_router.get("/{int:person_id}", response=PersonOut, summary="One person (administrators)")
def show_person(request: HttpRequest, person_id: int) -> Person:
    return queries.person(actor=actor_of(request), person_id=person_id)


@people_router.patch(
    "/{int:person_id}", response=PersonOut, summary="Change roles, close or reopen (administrators)"
)
def change_person(request: HttpRequest, person_id: int, payload: PersonChange) -> Person:
    actor = actor_of(request)
    with transaction.atomic():  # both or neither
        if payload.roles is not None:
            services.set_roles(actor=actor, person_id=person_id, roles=payload.roles)
        if payload.is_active is not None:
            services.set_active(actor=actor, person_id=person_id, is_active=payload.is_active)
    return queries.person(actor=actor, person_id=person_id)
