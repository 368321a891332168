"""API of fetches: hand in URLs, see how far they are, read the answers as they come, take them home as one WARC."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponseBase
from ninja import Field, Query, Router, Schema, Status
from pydantic import AliasChoices, StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.archive.export import warc_of
from ronda.archive.redirects import redirect_of
from ronda.errors import InvalidInput
from ronda.frontier.strategies import Strategy
from ronda.grid import fetches
from ronda.grid.fetch_results import captures_of
from ronda.grid.models import Fetch, FetchAnswer
from ronda.grid.url_lists import urls_in
from ronda.grid.vantage import MOST_COUNTRIES, vantage_summary
from ronda.http.inputs import Input
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.http.streaming import stream

router = Router(tags=["Fetches"])

PIECE = 1000

MaxAge = Annotated[
    int | None,
    Field(
        ge=0,
        le=31_536_000,
        description="Seconds: answer from the archive if it has one this young; none: what the settings say.",
    ),
]
Vantage = Annotated[
    list[Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]],
    Field(max_length=MOST_COUNTRIES, description="Countries: each URL is fetched from every one of them."),
]


class FetchIn(Input):
    """`max_age` may be called `max_age_seconds` as well."""

    urls: Annotated[list[str], Field(min_length=1, max_length=fetches.MOST_URLS)]
    max_age: Annotated[MaxAge, Field(validation_alias=AliasChoices("max_age", "max_age_seconds"))] = None
    strategy: Annotated[
        Strategy | None, Field(description="Who is preferred; none: what the settings say.")
    ] = None
    vantage: Vantage = Field(default_factory=list)


class LinesIn(Input):
    """What holds for all lines."""

    max_age: MaxAge = None
    strategy: Strategy | None = None
    vantage: Vantage = Field(default_factory=list)


class VantageOut(Schema):
    """How many URLs got the same answer from all countries, and how many did not."""

    countries: list[str]
    is_compared: bool
    match: int
    differ: int
    inconclusive: int


class FetchOut(Schema):
    id: uuid.UUID
    total: int
    ended: int
    refused: int
    is_done: bool
    is_cancelled: bool
    created_at: datetime

    @staticmethod
    def resolve_total(fetch: Fetch) -> int:
        return fetch.batch.total

    @staticmethod
    def resolve_ended(fetch: Fetch) -> int:
        return fetch.batch.ended

    @staticmethod
    def resolve_is_cancelled(fetch: Fetch) -> bool:
        return fetch.batch.is_cancelled


class WholeFetchOut(FetchOut):
    strategy: str
    vantage: VantageOut | None

    @staticmethod
    def resolve_strategy(fetch: Fetch) -> str:
        return fetch.batch.strategy

    @staticmethod
    def resolve_vantage(fetch: Fetch) -> Any:
        return vantage_summary(fetch)


@router.post("", response={202: FetchOut}, summary="Have URLs fetched (clients)")
def create_fetch(request: HttpRequest, payload: FetchIn) -> Status[Fetch]:
    made = fetches.create_fetch(
        actor=actor_of(request),
        urls=payload.urls,
        max_age_seconds=payload.max_age,
        strategy=payload.strategy,
        vantage=payload.vantage,
    )
    return Status(202, made)


@router.post(
    "/lines", response={202: FetchOut}, summary="Have URLs fetched, one a line, plain or as NDJSON (clients)"
)
def create_fetch_from_lines(request: HttpRequest, choices: Query[LinesIn]) -> Status[Fetch]:
    """The body is text: a URL a line, or a JSON object with `url` and nothing else a line. What holds for all of them
    stands in the address: `?max_age=3600&vantage=CL&vantage=DE`."""
    _refuse_unknown(request)
    urls = urls_in(request.body.decode("utf-8", "replace"))
    made = fetches.create_fetch(
        actor=actor_of(request),
        urls=urls,
        max_age_seconds=choices.max_age,
        strategy=choices.strategy,
        vantage=choices.vantage,
    )
    return Status(202, made)


def _refuse_unknown(request: HttpRequest) -> None:
    """What stands in the address takes the place of a body: a name we do not know is a mistake worth telling."""
    for name in request.GET:
        if name not in LinesIn.model_fields:
            known = ", ".join(LinesIn.model_fields)
            raise InvalidInput(f"There is no {name[:40]!r} here: say {known}, or nothing.", field=name[:40])


@router.get("", response=PageOf[FetchOut], summary="My fetches; everybody's for an administrator")
def list_fetches(request: HttpRequest, wanted: Query[PageRequest]) -> Any:
    return paginate(
        fetches.fetches(actor=actor_of(request)),
        wanted,
        sortable={"created_at": "created_at"},
        default="-created_at",
    )


@router.get("/{uuid:fetch_id}", response=WholeFetchOut, summary="How far a fetch is")
def show_fetch(request: HttpRequest, fetch_id: uuid.UUID) -> Fetch:
    return fetches.fetch(actor=actor_of(request), fetch_id=fetch_id)


@router.delete("/{uuid:fetch_id}", response={202: FetchOut}, summary="Cancel a fetch")
def cancel_fetch(request: HttpRequest, fetch_id: uuid.UUID) -> Status[Fetch]:
    """What is queued ends as cancelled; what a node is fetching ends with its answer."""
    return Status(202, fetches.cancel_fetch(actor=actor_of(request), fetch_id=fetch_id))


@router.get(
    "/{uuid:fetch_id}/results", summary="The answers so far as NDJSON; go on with `after` the last id"
)
def show_results(
    request: HttpRequest, fetch_id: uuid.UUID, after: Annotated[int, Query(ge=0, le=2**62)] = 0
) -> HttpResponseBase:
    found = fetches.answers(actor=actor_of(request), fetch_id=fetch_id, after=after)
    lines = (json.dumps(as_result(answer), ensure_ascii=False) + "\n" for answer in found.iterator(PIECE))
    response = stream(_in_pieces(lines), "application/x-ndjson")
    response.headers["Content-Disposition"] = f'attachment; filename="fetch-{fetch_id}.ndjson"'
    return response


def _in_pieces(lines: Iterator[str]) -> Iterator[bytes]:
    while piece := "".join(islice(lines, PIECE)):
        yield piece.encode()


def as_result(answer: FetchAnswer) -> dict[str, Any]:
    """A line of the results. `location`: where a redirect leads that ends it, and `not_followed` why it does."""
    capture = answer.capture
    redirect = redirect_of(capture) if capture else None
    return {
        "id": answer.pk,
        "url": answer.url,
        "state": answer.state,
        "status": answer.status or None,
        "reason": answer.reason or None,
        "final_url": capture.url if capture else None,
        "location": redirect.location if redirect else None,
        "not_followed": (redirect.not_followed or None) if redirect else None,
        "fetched_at": capture.fetched_at.isoformat() if capture else None,
        "type": capture.mime if capture else None,
        "digest": capture.digest if capture else None,
        "truncated": (capture.truncated or None) if capture else None,
        "country": answer.country or None,
        "doubt": answer.doubt or None,
        "voids": answer.voids_id,
    }


@router.get(
    "/{uuid:fetch_id}/comparisons",
    summary="Whether each URL got the same answer from all countries, as NDJSON; go on with `after` the last id",
)
def show_comparisons(
    request: HttpRequest, fetch_id: uuid.UUID, after: Annotated[int, Query(ge=0, le=2**62)] = 0
) -> HttpResponseBase:
    found = fetches.fetch(actor=actor_of(request), fetch_id=fetch_id).comparisons.filter(pk__gt=after)
    lines = (
        json.dumps(
            {
                "id": one.pk,
                "url": one.url,
                "outcome": one.outcome,
                "rung": one.rung,
                "similarity": one.similarity,
            },
            ensure_ascii=False,
        )
        + "\n"
        for one in found.order_by("pk").iterator(PIECE)
    )
    return stream(_in_pieces(lines), "application/x-ndjson")


@router.get(
    "/{uuid:fetch_id}/warc",
    summary="The answers so far as one WARC file, with the redirects that led to them",
)
def show_warc(request: HttpRequest, fetch_id: uuid.UUID) -> HttpResponseBase:
    captures = captures_of(actor=actor_of(request), fetch_id=fetch_id)
    response = stream(warc_of(captures), "application/warc")
    response.headers["Content-Disposition"] = f'attachment; filename="fetch-{fetch_id}.warc.gz"'
    return response
