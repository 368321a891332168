"""Routes of the wiki document that read: /articles /revisions /count /avg /mode /query."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.errors import HttpError

from ronda.accounts.authentication import actor_of
from ronda.errors import InvalidInput
from ronda.http.paging import PageOf, PageRequest
from ronda.jobs.models import Job
from ronda.wiki import article_list, consulting, metric_jobs
from ronda.wiki.downloads import TYPES, download, wanted_format
from ronda.wiki.pipeline.translation import DEFAULT_DATE_FORMAT
from ronda.wiki.queries_shapes import (
    ArticleFiltersIn,
    ArticleOut,
    CountOut,
    FiltersIn,
    FormatName,
    LocationOut,
    MeanOut,
    ModeOut,
    QueryOut,
    RevisionFiltersIn,
    RevisionOut,
    RevisionWithTextOut,
)

router = Router(tags=["Wikis"])

Async = Annotated[bool, Query(alias="async", description="Queue it as a job, and tell where its state is.")]
Format = Annotated[
    FormatName | None, Query(alias="format", description="Else by the Accept header; JSON by default.")
]
Attribute = Annotated[
    str, Query(max_length=20, description="One of title, pageid, user, userid, date, size.")
]

# Besides JSON, which the schema describes.
AS_FILE: dict[str, Any] = {"content": {name: {} for name in TYPES if name != "application/json"}}
FILES: dict[str, Any] = {"responses": {200: AS_FILE}}


def _metric(
    request: HttpRequest,
    name: str,
    ask: Callable[..., dict[str, Any]],
    is_async: bool,
    kind: FormatName | None,
) -> Any:
    given = request.GET.dict()
    if is_async:
        return _queued(request, metric_jobs.queue_metric(actor=actor_of(request), name=name, given=given))
    answer = ask(actor=actor_of(request), given=given)
    wanted = wanted_format(request, kind)
    return answer if wanted == "json" else download(_as_rows(answer), wanted, name=name)


def _queued(request: HttpRequest, job: Job) -> Any:
    place = request.build_absolute_uri(f"/api/v1/status/{job.id}?name={job.kind}")
    return Status(202, {"Location": place})


def _as_rows(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """A mode has a row for every value; the others are one row."""
    if "attribute" not in answer:
        return [{name: value for name, value in answer.items() if name != "status"}]
    wikis = answer.get("wikis") or [None] * len(answer["result"])
    return [
        {answer["attribute"]: value, "count": answer["count"], **({"wiki": wiki} if wiki else {})}
        for value, wiki in zip(answer["result"], wikis, strict=True)
    ]


@router.get(
    "/count",
    response={200: CountOut, 202: LocationOut},
    summary="How many revisions",
    openapi_extra=FILES,
)
def count(
    request: HttpRequest, filters: Query[FiltersIn], is_async: Async = False, kind: Format = None
) -> Any:
    """Without filters: of all articles."""
    return _metric(request, "count", consulting.count, is_async, kind)


@router.get(
    "/avg",
    response={200: MeanOut, 202: LocationOut},
    summary="Revisions a day of an interval",
    openapi_extra=FILES,
)
def avg(request: HttpRequest, filters: Query[FiltersIn], is_async: Async = False, kind: Format = None) -> Any:
    """Needs datestart and dateend; both days count, and days without a revision, too."""
    return _metric(request, "avg", consulting.mean, is_async, kind)


@router.get(
    "/mode",
    response={200: ModeOut, 202: LocationOut},
    exclude_none=True,
    summary="What an attribute of revisions is most often",
    openapi_extra=FILES,
)
def mode(
    request: HttpRequest,
    filters: Query[FiltersIn],
    attribute: Attribute = "",
    is_async: Async = False,
    kind: Format = None,
) -> Any:
    """E.g. attribute=user: who edits most. Ties are all listed."""
    return _metric(request, "mode", consulting.mode, is_async, kind)


@router.get(
    "/revisions",
    response=PageOf[RevisionWithTextOut | RevisionOut],
    exclude_unset=True,
    summary="Revisions of extracted articles",
    openapi_extra=FILES,
)
def revisions(
    request: HttpRequest,
    wanted: Query[PageRequest],
    filters: Query[RevisionFiltersIn],
    text: Annotated[bool, Query(description="With their texts.")] = False,
    kind: Format = None,
) -> Any:
    page = consulting.revisions(
        actor=actor_of(request), given=request.GET.dict(), wanted=wanted, with_text=text
    )
    chosen = wanted_format(request, kind)
    return page if chosen == "json" else download(page.items, chosen, name="revisions")


@router.get(
    "/articles",
    response=PageOf[ArticleOut],
    summary="Articles whose histories are kept",
    openapi_extra=FILES,
)
def articles(
    request: HttpRequest,
    wanted: Query[PageRequest],
    filters: Query[ArticleFiltersIn],
    kind: Format = None,
) -> Any:
    page = article_list.articles(actor=actor_of(request), given=request.GET.dict(), wanted=wanted)
    chosen = wanted_format(request, kind)
    return page if chosen == "json" else download(page.items, chosen, name="articles")


@router.post(
    "/query",
    response=QueryOut,
    summary="A question of one's own: an aggregation pipeline, or SQL",
    openapi_extra={
        **FILES,
        "requestBody": {
            "required": False,
            "content": {
                "application/json": {
                    "schema": {
                        "description": "Stages of a MongoDB aggregation pipeline.",
                        "anyOf": [{"type": "array", "items": {"type": "object"}}, {"type": "object"}],
                    },
                    "example": [{"$match": {"pageid": 4606}}, {"$sortByCount": "$user"}, {"$limit": 5}],
                }
            },
        },
    },
)
def query(
    request: HttpRequest,
    collection: Annotated[str, Query(max_length=20, description="revisions or articles.")] = "revisions",
    date_format: Annotated[
        str, Query(max_length=60, description="How dates in the pipeline are written.")
    ] = DEFAULT_DATE_FORMAT,
    sql: Annotated[
        str,
        Query(max_length=20_000, description="A SELECT over revisions, texts, articles, in place of a body."),
    ] = "",
    max_rows: Annotated[int, Query(ge=1, le=consulting.MAX_ROWS)] = consulting.MAX_ROWS,
    kind: Format = None,
) -> Any:
    """The body is a pipeline: a list of stages. Or `sql` is a SELECT; a body {"sql": "…"} does as well."""
    actor = actor_of(request)
    body = _body(request) if request.body.strip() else ""
    sql = sql or _sql_in(body)
    if sql:
        answer = consulting.query_sql(actor=actor, sql=sql, max_rows=max_rows)
    elif body:
        answer = consulting.query_pipeline(
            actor=actor, body=body, collection=collection, date_format=date_format, max_rows=max_rows
        )
    else:
        raise InvalidInput("Send a pipeline as the body, or sql.", field="pipeline")
    chosen = wanted_format(request, kind)
    if chosen != "json":
        return download(answer.documents, chosen, name="answer")
    return {
        "items": answer.documents,
        "columns": answer.columns,
        "total": len(answer.documents),
        "is_cut": answer.is_cut,
    }


def _body(request: HttpRequest) -> str:
    if request.content_type != "application/json":
        raise HttpError(415, "Send the pipeline as application/json.")
    try:
        return request.body.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidInput("The body is not UTF-8.", field="pipeline") from None


def _sql_in(body: str) -> str:
    try:
        given = json.loads(body) if body else None
    except (ValueError, RecursionError):
        return ""
    is_sql = isinstance(given, dict) and set(given) == {"sql"} and isinstance(given["sql"], str)
    return str(given["sql"]) if is_sql and isinstance(given, dict) else ""
