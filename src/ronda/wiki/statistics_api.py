"""API of what histories tell: statistics of an article, of two, of many; the difference of two revisions."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Schema

from ronda.accounts.authentication import actor_of
from ronda.errors import InvalidInput
from ronda.wiki import telling_histories
from ronda.wiki.models import Article
from ronda.wiki.statistics.summary import Summary

router = Router(tags=["Wikis"])

Number = Annotated[int, Query(ge=0, le=2**62)]


class EditorOut(Schema):
    user: str
    kind: str
    edits: int
    minor: int
    added_bytes: int
    reverted: int
    first: datetime
    last: datetime


class PairOut(Schema):
    one: str
    other: str
    times: int


class QuietOut(Schema):
    seconds: float
    began: datetime
    ended: datetime


class RevertOut(Schema):
    revid: int
    user: str | None
    at: datetime
    reverted_to: int


class SizeOut(Schema):
    at: datetime
    size_bytes: int


class SummaryOut(Schema):
    """Times are UTC. A bot is who is called one; a revert brings back a text of the last 15 revisions."""

    articles: int
    edits: int
    editors: int
    first: datetime | None
    last: datetime | None
    minor: int
    by_kind: dict[str, int]
    editors_by_kind: dict[str, int]
    by_year: dict[str, int]
    by_month: dict[str, int]
    by_weekday: list[int]
    by_hour: list[int]
    top_by_edits: list[EditorOut]
    top_by_added: list[EditorOut]
    share_of_top_tenth: float
    reverts: int
    reverted: int
    latest_reverts: list[RevertOut]
    mean_gap_seconds: float | None
    median_gap_seconds: float | None
    longest_quiet: QuietOut | None
    pairs: list[PairOut]
    sizes: list[SizeOut]
    size_bytes: int
    added_bytes: int


class NamedArticle(Schema):
    id: int
    wiki: str
    title: str


class StatisticsOut(Schema):
    of: list[NamedArticle]
    statistics: SummaryOut


class ComparisonOut(Schema):
    a: StatisticsOut
    b: StatisticsOut
    shared_editors: list[str]


class SideOut(Schema):
    wiki: str
    pageid: int
    title: str
    revid: int
    user: str | None
    at: datetime
    comment: str | None
    size: int | None


class PieceOut(Schema):
    kind: str
    text: str


class RowOut(Schema):
    kind: str
    before: str | None
    after: str | None
    pieces: list[PieceOut]


class RevisionDiffOut(Schema):
    before: SideOut
    after: SideOut
    rows: list[RowOut]


def shown(articles: list[Article], summary: Summary) -> dict[str, Any]:
    told = asdict(summary)
    told["sizes"] = [{"at": at, "size_bytes": size} for at, size in summary.sizes]
    of = [{"id": one.pk, "wiki": one.wiki.key, "title": one.title} for one in articles]
    return {"of": of, "statistics": told}


@router.get(
    "/articles/{int:article_id}/statistics", response=StatisticsOut, summary="What an article's history tells"
)
def article_statistics(request: HttpRequest, article_id: int) -> Any:
    article, summary = telling_histories.statistics_of(actor=actor_of(request), article_id=article_id)
    return shown([article], summary)


@router.get(
    "/statistics", response=StatisticsOut, summary="What the histories of several articles tell together"
)
def statistics(
    request: HttpRequest,
    articles: Annotated[str, Query(max_length=6_000, description="Ids of articles, with commas between.")],
) -> Any:
    try:
        ids = [int(part) for part in articles.split(",") if part.strip()]
    except ValueError:
        raise InvalidInput("articles are ids with commas between, such as 1,2,3.", field="articles") from None
    if any(not 0 <= each < 2**62 for each in ids):
        raise InvalidInput("articles are ids with commas between, such as 1,2,3.", field="articles")
    found, summary = telling_histories.summed_up(actor=actor_of(request), article_ids=ids)
    return shown(found, summary)


@router.get("/articles/compare", response=ComparisonOut, summary="Two articles beside each other")
def compare(request: HttpRequest, a: Number, b: Number) -> Any:
    one, other, shared = telling_histories.compared(actor=actor_of(request), a=a, b=b)
    return {
        "a": shown([one[0]], one[1]),
        "b": shown([other[0]], other[1]),
        "shared_editors": shared,
    }


@router.get("/revisions/diff", response=RevisionDiffOut, summary="What changed between two revisions")
def revision_diff(
    request: HttpRequest,
    a: Number,
    b: Number = 0,
    wiki: Annotated[str, Query(max_length=200, description="Where ids repeat between wikis.")] = "",
) -> Any:
    """Without b: a against its parent."""
    found = telling_histories.diff(actor=actor_of(request), a=a, b=b, wiki=wiki)
    return {
        "before": asdict(found.before),
        "after": asdict(found.after),
        "rows": [
            {
                "kind": row.kind.value,
                "before": row.before,
                "after": row.after,
                "pieces": [{"kind": piece.kind.value, "text": piece.text} for piece in row.pieces],
            }
            for row in found.rows
        ],
    }
