"""API of differences: two states of a page, two versions of a source."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.change.texts import Row
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.rounds import diffs
from ronda.rounds.change_wording import differing_sentence, page_sentence, site_sentence
from ronda.rounds.diff_models import PageDiff, VersionDiff
from ronda.rounds.shown_rows import without_the_same

router = Router(tags=["Differences"])

Url = Annotated[str, StringConstraints(min_length=1, max_length=2048, pattern=r"^[^\x00]*$")]
When = Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00]*$")]


class StateOut(Schema):
    """A page as it was kept at one time."""

    capture: Annotated[int, Field(alias="pk")]
    fetched_at: datetime
    status: int
    mime: str
    digest: str


class PieceOut(Schema):
    kind: str
    text: str


class RowOut(Schema):
    """A line on either side or on one; of a changed line also the words that changed."""

    kind: str
    before: str | None
    after: str | None
    pieces: list[PieceOut]


class LinkOut(Schema):
    url: str
    text: str


class AssetOut(Schema):
    what: str
    kind: str
    url: str


class WordingOut(Schema):
    name: str
    before: str
    after: str


class StructureOut(Schema):
    """Elements by their path of tags."""

    added: dict[str, int]
    removed: dict[str, int]
    moved: int
    wordings: list[WordingOut]
    headings_added: list[str]
    headings_removed: list[str]


class PageChangeOut(Schema):
    url: str
    before: StateOut
    after: StateOut
    summary: str
    share: Annotated[float, Field(description="How much changed, from 0 to 1.")]
    is_same: bool
    reading: Annotated[str, Field(description="How far it could be compared: markup, text or digest.")]
    is_cut: Annotated[bool, Field(description="Longer than what is compared.")]
    rows: list[RowOut]
    structure: StructureOut
    assets: list[AssetOut]
    links_added: list[LinkOut]
    links_removed: list[LinkOut]
    size_before_bytes: int
    size_after_bytes: int


class DiffOut(Schema):
    """Two versions of a source. While `state` is comparing, pages have no share yet: ask again."""

    before: Annotated[uuid.UUID | None, Field(alias="before_id")]
    after: Annotated[uuid.UUID, Field(alias="after_id")]
    state: str
    summary: str
    unchanged: int
    added: int
    removed: int
    changed: int
    failed: Annotated[int, Field(description="Not answered this time: nobody knows.")]
    missed: Annotated[
        int, Field(description="There now; before, left out or not answered: nobody knows whether it is new.")
    ]
    compared: Annotated[int, Field(description="Changed ones that were read so far.")]

    @staticmethod
    def resolve_summary(diff: VersionDiff) -> str:
        return site_sentence(diff)


class PageDiffOut(Schema):
    url: str
    role: str
    fate: str
    status_before: int
    status_after: int
    share: float | None
    view: float | None
    form: float | None
    content: float | None
    score: Annotated[float | None, Field(description="0: only noise changed. None: not scored.")]
    components: Annotated[dict[str, float], Field(description="What drove the score.")]
    summary: str
    capture_before: Annotated[int | None, Field(alias="capture_before_id")]
    capture_after: Annotated[int | None, Field(alias="capture_after_id")]

    @staticmethod
    def resolve_summary(page: PageDiff) -> str:
        return differing_sentence(page)


class Asked(Schema):
    url: Annotated[Url, Field(description="Of the page.")]
    a: Annotated[
        When,
        Field(description="A version's id, a capture's number or a time; without it, the last other state."),
    ] = ""
    b: Annotated[When, Field(description="The same; without it, the newest state.")] = ""
    context: Annotated[
        int | None, Field(ge=0, le=1000, description="Lines shown around a change; all without it.")
    ] = None


@router.get("/diff", response=PageChangeOut, summary="Compare two states of a page")
def compare_page(request: HttpRequest, asked: Query[Asked]) -> dict[str, Any]:
    found = diffs.compare_page(actor=actor_of(request), url=asked.url, a=asked.a, b=asked.b)
    change = found.change
    rows: list[Row] = list(change.rows)
    if asked.context is not None:
        rows = [row for row in without_the_same(change.rows, asked.context) if isinstance(row, Row)]
    return {
        **vars(change),
        "rows": rows,
        "url": found.url,
        "before": found.before,
        "after": found.after,
        "summary": page_sentence(change),
    }


@router.get("/versions/{version_id}/diff/{other_id}", response=DiffOut, summary="Compare two versions")
def compare_versions(request: HttpRequest, version_id: uuid.UUID, other_id: uuid.UUID) -> VersionDiff:
    return diffs.version_diff(actor=actor_of(request), before_id=version_id, after_id=other_id)


@router.get(
    "/versions/{version_id}/diff/{other_id}/pages",
    response=PageOf[PageDiffOut],
    summary="Pages that two versions do not share, most changed first",
)
def list_differing_pages(
    request: HttpRequest, version_id: uuid.UUID, other_id: uuid.UUID, wanted: Query[PageRequest]
) -> Any:
    diff = diffs.version_diff(actor=actor_of(request), before_id=version_id, after_id=other_id)
    sortable = {"share": "share", "url": "url", "fate": "fate"}
    return paginate(diff.pages.all(), wanted, sortable=sortable, default="-share")


@router.get(
    "/sources/{source_id}/diff",
    response=DiffOut | None,
    summary="Compare two versions of a source, the newest two without saying which",
)
def compare_source(
    request: HttpRequest, source_id: uuid.UUID, a: When = "", b: When = ""
) -> VersionDiff | None:
    """`a`, `b`: a version's number or id. `a` may be `seen`, the version you looked at last; null: nothing is new."""
    return diffs.source_diff(actor=actor_of(request), source_id=source_id, a=a, b=b)
