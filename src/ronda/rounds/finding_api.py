"""Searching, past searches and favourites for programs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import ConfigDict, Field

from ronda.accounts.authentication import actor_of
from ronda.archive.models import Capture, FavouriteKind
from ronda.archive.replaying import replay_url
from ronda.archive.search import FoundPage, SearchWanted
from ronda.archive.urlkeys import LONGEST_URL, Match
from ronda.http.paging import MAX_PAGE
from ronda.rounds import favourites, finding

router = Router(tags=["finding"])

TEXT = r"^[^\x00]*$"


class SearchParameters(Schema):
    model_config = ConfigDict(populate_by_name=True)

    q: Annotated[str, Field(max_length=500, pattern=TEXT, description='Words; "a phrase", or, -without.')] = (
        ""
    )
    url: Annotated[
        str, Field(max_length=LONGEST_URL, pattern=TEXT, description="A URL, `prefix*`, or `*.domain`.")
    ] = ""
    match: Annotated[Match | None, Field(alias="matchType", description="How `url` is meant.")] = None
    collection: Annotated[str, Field(max_length=60, pattern=TEXT)] = ""
    topic: Annotated[int | None, Field(ge=0, le=32767, description="Code of a topic.")] = None
    since: Annotated[str, Field(alias="from", max_length=30, description="Not before: 2026, 202601…")] = ""
    until: Annotated[str, Field(alias="to", max_length=30, description="Not after.")] = ""
    status: Annotated[int | None, Field(ge=0, le=999)] = None
    mime: Annotated[str, Field(max_length=100, pattern=TEXT, description="How the type begins.")] = ""

    def as_wanted(self) -> SearchWanted:
        return SearchWanted(
            words=self.q.strip(), url=self.url.strip(), match=self.match, collection=self.collection,
            since=self.since, until=self.until, status=self.status, mime=self.mime,
        )  # fmt: skip

    def as_given(self) -> dict[str, str]:
        """As the search page's address says it."""
        given = self.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True)
        return {name: str(value) for name, value in given.items() if name not in ("page", "page_size")}


class SearchRequest(SearchParameters):
    page: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 1
    page_size: Annotated[int, Field(ge=1, le=100)] = 20


class SeenOut(Schema):
    id: int
    fetched_at: datetime
    status: int
    mime: str
    truncated: Annotated[
        str | None, Field(description="Why only a part of it came: length, time, disconnect.")
    ]
    collection: str
    replay_url: str
    is_imported: Annotated[bool, Field(description="Somebody brought it as a file: nobody here fetched it.")]


class PageOut(Schema):
    url: str
    title: str
    highlight: Annotated[str, Field(description="HTML: escaped text with <mark> around what was found.")]
    versions: Annotated[int, Field(description="Captures that match.")]
    seen: Annotated[
        list[SeenOut],
        Field(description="Twenty of them: those fetched here before imported ones, each newest first."),
    ]


class FoundOut(Schema):
    items: list[PageOut]
    page: int
    page_size: int
    total: int
    is_cut: Annotated[bool, Field(description="There are more: only the newest texts were ranked.")]


class PastSearchOut(Schema):
    query: str
    searched_at: datetime


class FavouriteOut(Schema):
    kind: FavouriteKind
    key: str
    starred_at: datetime
    url: str
    title: str


@router.get("/search", response=FoundOut, summary="Find captures by words, URL and more")
def show_search(request: HttpRequest, wanted: Query[SearchRequest]) -> dict[str, Any]:
    actor = actor_of(request)
    found = finding.find(
        actor=actor,
        wanted=wanted.as_wanted(),
        topic=wanted.topic,
        page=wanted.page,
        page_size=wanted.page_size,
    )
    if wanted.page == 1:
        finding.remember(actor=actor, given=wanted.as_given())
    return {
        "items": [_shown(page) for page in found.pages],
        "page": wanted.page,
        "page_size": wanted.page_size,
        "total": found.total,
        "is_cut": found.is_cut,
    }


def _shown(page: FoundPage) -> dict[str, Any]:
    return {
        "url": page.newest.url,
        "title": page.title,
        "highlight": page.highlight,
        "versions": page.versions,
        "seen": [_seen(capture) for capture in page.seen],
    }


def _seen(capture: Capture) -> dict[str, Any]:
    return {
        "id": capture.pk,
        "fetched_at": capture.fetched_at,
        "status": capture.status,
        "mime": capture.mime,
        "truncated": capture.truncated or None,
        "collection": capture.collection.slug if capture.collection else "",
        "replay_url": replay_url(capture),
        "is_imported": capture.is_imported,
    }


@router.get("/searches", response=list[PastSearchOut], summary="What you looked for, newest first")
def list_searches(request: HttpRequest) -> list[Any]:
    return list(finding.past_searches(actor=actor_of(request)))


@router.delete("/searches", response={204: None}, summary="Forget what you looked for")
def forget_searches(request: HttpRequest) -> tuple[int, None]:
    finding.forget_searches(actor=actor_of(request))
    return 204, None


@router.get("/favourites", response=list[FavouriteOut], summary="Your favourites, newest first")
def list_favourites(request: HttpRequest) -> list[dict[str, Any]]:
    return [_starred(one) for one in favourites.favourites(actor=actor_of(request))]


def _starred(one: favourites.Starred) -> dict[str, Any]:
    thing: Any = one.thing
    source = thing.source if one.kind == FavouriteKind.VERSION else thing
    return {
        "kind": one.kind, "key": one.key, "starred_at": one.starred_at, "url": source.url, "title": str(thing),
    }  # fmt: skip


@router.put("/favourites/{kind}/{str:key}", response={204: None}, summary="Star something")
def star(
    request: HttpRequest, kind: FavouriteKind, key: Annotated[str, Field(max_length=36)]
) -> tuple[int, None]:
    favourites.star(actor=actor_of(request), kind=kind, key=key)
    return 204, None


@router.delete("/favourites/{kind}/{str:key}", response={204: None}, summary="Take a star away")
def unstar(
    request: HttpRequest, kind: FavouriteKind, key: Annotated[str, Field(max_length=36)]
) -> tuple[int, None]:
    favourites.unstar(actor=actor_of(request), kind=kind, key=key)
    return 204, None
