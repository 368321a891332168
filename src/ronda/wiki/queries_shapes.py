"""What the routes of the wiki document take and give, for the API's description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(max_length=500)]
Day = Annotated[str, StringConstraints(max_length=10), Field(description="A day, YYYY-MM-DD.")]
Number = Annotated[str, StringConstraints(max_length=20), Field(description="A whole number.")]
FormatName = Literal["json", "csv", "parquet"]


class FiltersIn(Schema):
    """The document's filters. Parameters that are not listed are ignored."""

    title: Annotated[Text, Field(description="Title of an extracted article.")] = ""
    pageid: Number = ""
    user: Annotated[Text, Field(description="Name of the author.")] = ""
    userid: Number = ""
    tag: Annotated[Text, Field(description="A tag the revision carries.")] = ""
    size: Annotated[str, StringConstraints(max_length=20), Field(description="Bytes of the revision.")] = ""
    sizematch: Annotated[
        str,
        StringConstraints(max_length=20),
        Field(description="Positive: larger than size; negative: smaller; 0: exactly."),
    ] = ""
    date: Day = ""
    datestart: Day = ""
    dateend: Day = ""
    wiki: Annotated[Text, Field(description="Only of this wiki, e.g. en.wikipedia.org.")] = ""
    locale: Annotated[Text, Field(description="Only of wikis in this language.")] = ""
    api: Annotated[Text, Field(description="Only of the wiki with this API address.")] = ""


class RevisionFiltersIn(FiltersIn):
    """Every attribute of a revision is a filter."""

    revid: Number = ""
    parentid: Number = ""
    sha1: Text = ""
    contentmodel: Text = ""
    contentformat: Text = ""
    comment: Text = ""
    parsedcomment: Text = ""
    tags: Text = ""
    minor: Text = ""
    is_user_hidden: Text = ""
    is_comment_hidden: Text = ""
    is_text_hidden: Text = ""
    timestamp: Text = ""
    extraction_date: Text = ""


class ArticleFiltersIn(Schema):
    title: Text = ""
    pageid: Number = ""
    ns: Number = ""
    locale: Text = ""
    wiki: Text = ""
    first_extraction_date: Text = ""
    last_extraction_date: Text = ""
    last_revision_extracted: Number = ""


class CountOut(Schema):
    status: str
    count: int


class MeanOut(Schema):
    """`result` is `count` divided by `days`, the days of the interval with both ends."""

    status: str
    result: float
    count: int
    days: int


class ModeOut(Schema):
    """`result` lists all values that occur `count` times, which no other exceeds."""

    status: str
    attribute: str
    result: list[str | int]
    count: int
    wikis: list[str] | None = None
    note: str | None = None


class LocationOut(Schema):
    """Where the job's state is told."""

    model_config = ConfigDict(populate_by_name=True)

    Location: str


class RevisionOut(Schema):
    wiki: str
    pageid: int
    revid: int
    parentid: int
    title: str
    user: str | None
    userid: int | None
    timestamp: str
    size: int | None
    sha1: str | None
    contentmodel: str | None
    contentformat: str | None
    comment: str | None
    parsedcomment: str | None
    tags: list[str] | None
    minor: bool
    is_user_hidden: bool
    is_comment_hidden: bool
    is_text_hidden: bool
    extraction_date: str


class RevisionWithTextOut(RevisionOut):
    text: str | None = None


class ArticleOut(Schema):
    id: int
    wiki: str
    ns: int
    pageid: int
    title: str
    locale: str
    first_extraction_date: str | None
    last_extraction_date: str | None
    last_revision_extracted: int | None
    revisions: int
    completeness: str


class QueryOut(Schema):
    """`is_cut`: there were more documents than a question may bring."""

    items: list[dict[str, Any]]
    columns: list[str]
    total: int
    is_cut: bool
