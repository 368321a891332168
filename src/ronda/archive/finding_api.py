"""The index for programs: CDX (the dialect of pywb) and Memento."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from ninja import Query, Router, Schema
from pydantic import ConfigDict, Field

from ronda.accounts.authentication import actor_of
from ronda.accounts.models import Person
from ronda.archive import cdx, timemap
from ronda.archive.cdx import MOST_LINES, CdxQuery, Order, Output
from ronda.archive.queries import captures_in
from ronda.archive.replaying import replay_url
from ronda.archive.urlkeys import LONGEST_URL, Match
from ronda.http.streaming import stream

router = Router(tags=["finding"])

CONTENT_TYPES = {Output.CDXJ: "text/x-cdxj", Output.JSON: "text/x-ndjson", Output.TEXT: "text/plain"}
MOST_FILTERS = 20
TEXT = r"^[^\x00]*$"


class CdxParameters(Schema):
    """Named as pywb names them; `collection` is ours."""

    model_config = ConfigDict(populate_by_name=True)

    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_URL,
            pattern=TEXT,
            description="A URL, `prefix*`, or `*.domain`.",
        ),
    ]
    match: Annotated[Match | None, Field(alias="matchType", description="How `url` is meant.")] = None
    since: Annotated[str, Field(alias="from", max_length=30, description="Not before: 2026, 202601…")] = ""
    until: Annotated[str, Field(alias="to", max_length=30, description="Not after.")] = ""
    closest: Annotated[str, Field(max_length=30, description="Nearest to this moment first.")] = ""
    sort: Annotated[Order, Field(description="reverse: newest first.")] = Order.KEY
    limit: Annotated[int, Field(ge=1, le=MOST_LINES)] = MOST_LINES
    filter: Annotated[
        list[Annotated[str, Field(max_length=1000)]],
        Field(max_length=MOST_FILTERS, description="[!][=|~]field:value, any number of times."),
    ] = []  # noqa: RUF012  (pydantic copies it)
    fields: Annotated[str, Field(max_length=200, description="Names of fields, with commas; also `fl`.")] = ""
    fl: Annotated[str, Field(max_length=200)] = ""
    output: Output = Output.CDXJ
    collapse_digits: Annotated[
        int, Field(alias="collapseTime", ge=0, le=14, description="One line a status and time, cut so short.")
    ] = 0
    page: Annotated[int, Field(ge=0, le=1_000_000, description="With pageSize; from 0.")] = 0
    page_size: Annotated[int, Field(alias="pageSize", ge=0, le=MOST_LINES)] = 0
    is_counting: Annotated[bool, Field(alias="showNumPages", description="Only how many pages.")] = False
    is_resolving: Annotated[
        bool, Field(alias="resolveRevisits", description="Name a revisit's original beside it.")
    ] = False
    collection: Annotated[str, Field(max_length=60, description="Only of this one.")] = ""

    def as_query(self) -> CdxQuery:
        named = tuple(name for name in (self.fields or self.fl).split(",") if name)
        order = Order.REVERSE if self.sort == Order.REVERSE and not self.closest else Order.KEY
        return CdxQuery(
            url=self.url, match=self.match, since=self.since, until=self.until, closest=self.closest,
            order=order, limit=self.limit, filters=tuple(self.filter), fields=named, output=self.output,
            collapse_digits=self.collapse_digits, page=self.page, page_size=self.page_size,
            is_resolving=self.is_resolving,
        )  # fmt: skip


@router.get(
    "/cdx",
    summary="The index of captures, as a CDX server tells it",
    openapi_extra={
        "responses": {200: {"content": {kind: {} for kind in (*CONTENT_TYPES.values(), "application/json")}}}
    },
)
def show_cdx(request: HttpRequest, wanted: Query[CdxParameters]) -> HttpResponseBase:
    captures = captures_in(actor_of(request), wanted.collection)
    query = wanted.as_query()
    if wanted.is_counting:
        pages = cdx.page_count(captures, query)
        return JsonResponse({"pages": pages, "pageSize": query.size})
    cdx.check(captures, query)  # what is wrong with it is said before the answer begins
    return stream(cdx.lines(captures, query), CONTENT_TYPES[query.output])


@router.get(
    "/timemap/link/{path:url}",
    summary="Memento: all captures of a URL, as links",
    openapi_extra={"responses": {200: {"content": {"application/link-format": {}}}}},
)
def show_timemap(request: HttpRequest, url: str) -> HttpResponseBase:
    found = _mementos(request, actor_of(request), url)
    found.first_and_last()
    return stream(timemap.link_lines(found), "application/link-format")


@router.get(
    "/timemap/json/{path:url}",
    summary="Memento: all captures of a URL, as JSON",
    openapi_extra={"responses": {200: {"content": {"application/json": {}}}}},
)
def show_timemap_json(request: HttpRequest, url: str) -> HttpResponseBase:
    found = _mementos(request, actor_of(request), url)
    found.first_and_last()
    return stream(timemap.json_lines(found), "application/json")


@router.get(
    "/timegate/{path:url}",
    summary="Memento: to the capture nearest to Accept-Datetime",
    openapi_extra={"responses": {302: {"description": "To the replay."}}},
)
def show_timegate(request: HttpRequest, url: str) -> HttpResponse:
    found = _mementos(request, actor_of(request), url)
    capture, links = timemap.nearest(found, request.headers.get("Accept-Datetime", ""))
    response = HttpResponse(status=302, headers={"Location": replay_url(capture), "Link": links})
    patch_vary_headers(response, ["Accept-Datetime"])
    return response


def _mementos(request: HttpRequest, actor: Person, path: str) -> timemap.Mementos:
    query = request.META.get("QUERY_STRING", "")
    url = f"{path}?{query}" if query else path
    names = {"timemap": "api:show_timemap", "timegate": "api:show_timegate"}
    here = {
        key: request.build_absolute_uri(reverse(name, args=["-"]))[:-1] + url for key, name in names.items()
    }
    return timemap.mementos(captures_in(actor, ""), url=url, **here)
