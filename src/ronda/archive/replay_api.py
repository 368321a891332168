"""Addresses in the replay, and what its role asks of us with the token of its home: is a ticket or a pass good?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from ronda.accounts.authentication import actor_of
from ronda.archive import replaying
from ronda.archive.cdx import closest_first
from ronda.archive.errors import NoPass, NoSuchCapture
from ronda.archive.moments import first_second
from ronda.archive.queries import captures_in
from ronda.archive.timemap import mementos
from ronda.archive.urlkeys import LONGEST_URL
from ronda.http.inputs import Input

router = Router(tags=["replay"])

Signed = Annotated[str, Field(max_length=1000)]


class TicketIn(Input):
    ticket: Signed


class PassIn(Input):
    kept: Signed


class PassOut(Schema):
    kept: str
    collection: str


class OpenOut(Schema):
    collection: str


class AddressOut(Schema):
    address: str
    url: str
    fetched_at: datetime
    collection: str


@router.get("/address", response=AddressOut, summary="Where a page is shown as it was, nearest to a moment")
def show_address(
    request: HttpRequest,
    url: Annotated[str, Field(min_length=1, max_length=LONGEST_URL, pattern=r"^[^\x00]*$")],
    at: Annotated[str, Field(max_length=30, description="2026-01-31, 20260131120000. Without it: now.")] = "",
    collection: Annotated[str, Field(max_length=60, pattern=r"^[^\x00]*$")] = "",
) -> dict[str, object]:
    found = mementos(captures_in(actor_of(request), collection), url=url)
    moment = first_second(at, field="at") if at else timezone.now()
    capture = closest_first(found.captures, moment).first()
    if capture is None or capture.collection is None:
        raise NoSuchCapture()
    return {
        "address": replaying.replay_url(capture),
        "url": capture.url,
        "fetched_at": capture.fetched_at,
        "collection": capture.collection.slug,
    }


@router.post("/passes", response=PassOut, summary="A pass for a ticket of the console")
def exchange(request: HttpRequest, body: TicketIn) -> replaying.Pass:
    given = replaying.pass_for(actor=actor_of(request), ticket=body.ticket)
    if given is None:
        raise NoPass()
    return given


@router.post("/passes/check", response=OpenOut, summary="The collection a pass opens")
def check(request: HttpRequest, body: PassIn) -> dict[str, str]:
    collection = replaying.collection_open_to(actor=actor_of(request), kept=body.kept)
    if collection is None:
        raise NoPass()
    return {"collection": collection}
