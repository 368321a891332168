"""API of extraction: the document's /extract, many at once, what is here, checking it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, BinaryIO, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import Input
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.jobs.api import JobOut
from ronda.jobs.models import Job
from ronda.wiki import importing, queries, services
from ronda.wiki.models import Article, Completeness
from ronda.wiki.services import Wanted

router = Router(tags=["Wikis"])

Title = Annotated[str, StringConstraints(max_length=300, pattern=r"^[^\x00]*$")]
Address = Annotated[str, StringConstraints(max_length=2048, pattern=r"^[^\x00]*$")]
Locale = Annotated[str, StringConstraints(max_length=20, pattern=r"^[A-Za-z-]*$")]
_TEXT = r"^[^\x00]*$"
TitleAsked = Annotated[
    str, Query(max_length=300, pattern=_TEXT, description="The article; this or `url` is required.")
]
LocaleAsked = Annotated[
    str, Query(max_length=20, pattern=r"^[A-Za-z-]*$", description="Of Wikipedia; from the URL, or en.")
]
UrlAsked = Annotated[str, Query(max_length=2048, pattern=_TEXT, description="Of the article's page.")]
ApiAsked = Annotated[
    str, Query(max_length=2048, pattern=_TEXT, description="api.php of any other MediaWiki.")
]
ApiOfFile = Annotated[
    str,
    Query(max_length=2048, pattern=_TEXT, description="Of the wiki it is of; else what the file says."),
]
FileName = Annotated[str, Query(max_length=200, pattern=r"^[^\x00-\x1f]*$", description="For the report.")]


class LocationOut(Schema):
    location: Annotated[str, Field(alias="Location")]


class ManyIn(Input):
    category: Title = ""
    titles: Annotated[list[Title], Field(max_length=10_000)] = Field(default_factory=list)
    locale: Locale = ""
    api: Address = ""
    with_text: bool = True
    is_followed: bool = True


class CompletenessOut(Schema):
    """`counted`: what the wiki itself counts, without those whose text it hides; none where it does not say."""

    article: int
    wiki: str
    pageid: int
    title: str
    state: Completeness
    revisions: int
    hidden: int
    counted: int | None
    gaps: list[int]
    deleted_since: int
    has_texts: bool
    checked_at: datetime | None
    last_revision: int | None
    last_extraction_date: datetime | None

    @staticmethod
    def of(article: Article) -> dict[str, Any]:
        return {
            "article": article.pk,
            "wiki": article.wiki.key,
            "pageid": article.pageid,
            "title": article.title,
            "state": article.completeness,
            "revisions": article.revisions,
            "hidden": article.hidden_revisions,
            "counted": article.counted_revisions,
            "gaps": article.gaps,
            "deleted_since": article.gone_revisions,
            "has_texts": article.has_texts,
            "checked_at": article.checked_at,
            "last_revision": article.last_revision,
            "last_extraction_date": article.last_extraction_date,
        }


@router.get(
    "/extract",
    response={202: LocationOut},
    by_alias=True,
    summary="Extract the history of an article",
)
def extract(
    request: HttpRequest,
    response: HttpResponse,
    title: TitleAsked = "",
    locale: LocaleAsked = "",
    url: UrlAsked = "",
    api: ApiAsked = "",
    with_text: bool = True,
) -> Status[dict[str, str]]:
    """As the wiki document has it: the answer says where to ask how far it is. What is under way is not begun twice."""
    wanted = Wanted(locale=locale, url=url, api=api, with_text=with_text)
    job = services.extract(actor=actor_of(request), title=title, wanted=wanted)
    place = f"{settings.RONDA.console_url}/api/v1/status/{job.pk}?name=extract_article"
    response["Location"] = place
    return Status(202, {"Location": place})


@router.post("/extractions", response={202: JobOut}, summary="Extract many articles: a category or a list")
def extract_many(request: HttpRequest, payload: ManyIn) -> Status[Job]:
    """A job that begins one extraction an article."""
    wanted = Wanted(
        locale=payload.locale, api=payload.api, with_text=payload.with_text, is_followed=payload.is_followed
    )
    job = services.extract_many(
        actor=actor_of(request), category=payload.category, titles=payload.titles, wanted=wanted
    )
    return Status(202, job)


@router.get("/completeness", response=PageOf[CompletenessOut], summary="How complete histories are")
def list_completeness(
    request: HttpRequest, wanted: Query[PageRequest], search: Title = "", state: Completeness | None = None
) -> Any:
    found = queries.articles(actor=actor_of(request), search=search, completeness=state or "")
    sortable = {name: name for name in ("title", "revisions", "last_extraction_date", "checked_at")}
    page = paginate(found, wanted, sortable=sortable, default="title")
    return {**vars(page), "items": [CompletenessOut.of(article) for article in page.items]}


@router.get(
    "/articles/{int:article_id}/completeness",
    response=CompletenessOut,
    summary="Whether a history is all here",
)
def completeness(request: HttpRequest, article_id: int) -> dict[str, Any]:
    return CompletenessOut.of(queries.article(actor=actor_of(request), article_id=article_id))


@router.post(
    "/articles/{int:article_id}/check", response={202: JobOut}, summary="Check a history and fill its gaps"
)
def check(request: HttpRequest, article_id: int) -> Status[Job]:
    """The wiki's whole list is read again, without texts; what is missing is fetched."""
    return Status(202, services.check(actor=actor_of(request), article_id=article_id))


@router.post("/articles/import", response={202: JobOut}, summary="Import a MediaWiki export file (directors)")
def import_dump(
    request: HttpRequest,
    name: FileName = "",
    api: ApiOfFile = "",
) -> Status[Job]:
    """The body is the file: export XML, plain, gzip or bzip2. A job reads it."""
    job = importing.start_import(
        actor=actor_of(request), api=api, name=name or "upload", body=cast("BinaryIO", request)
    )
    return Status(202, job)
