"""What people ask of the histories: metrics, lists, pipelines, SQL. Each checks the role and reads one snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.http.paging import Page, PageRequest
from ronda.lake.reading import reading
from ronda.wiki import listing, metrics, quick_metrics
from ronda.wiki.answers_kept import kept
from ronda.wiki.filters import Filters, read_filters, read_interval, taken
from ronda.wiki.models import Article, Wiki
from ronda.wiki.pipeline.collections import ARTICLES, COLLECTIONS
from ronda.wiki.pipeline.shaping import document_of
from ronda.wiki.pipeline.translation import DEFAULT_DATE_FORMAT, read_stages, translate
from ronda.wiki.sandbox.asking import Question, ask

# Whoever is logged in may read histories: what wikis publish is no secret.
ASKERS: tuple[Role, ...] = ()
MAX_ROWS = 10_000
MAX_SQL = 20_000
TASK_COMPLETED = "Task completed"

# The other columns of the table that questions call `articles`.
_ARTICLE_TYPES = (
    '[{"wiki":"VARCHAR","ns":"BIGINT","pageid":"BIGINT","title":"VARCHAR","locale":"VARCHAR",'
    '"first_extraction_date":"TIMESTAMP","last_extraction_date":"TIMESTAMP","last_revision_extracted":"BIGINT"}]'
)
ARTICLES_SQL = (
    "CREATE OR REPLACE TEMP TABLE articles AS"
    f" SELECT unnest(from_json(?::JSON, '{_ARTICLE_TYPES}'), max_depth := 2)"
)


@dataclass(frozen=True)
class Answer:
    """Documents, as JSON has them; `is_cut`: there were more than a question may bring."""

    documents: list[dict[str, Any]]
    columns: list[str]
    is_cut: bool


def count(*, actor: Person | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """How many revisions pass the filters."""
    require(actor, *ASKERS)
    filters = _filters(given)
    with reading() as lake:
        found = kept(lake, ("count", filters), lambda: quick_metrics.count(lake, filters))
    return {"status": TASK_COMPLETED, "count": found}


def mean(*, actor: Person | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Revisions a day of an interval, both of whose ends count."""
    require(actor, *ASKERS)
    filters = _filters(given, is_date_beside_interval=True)
    with reading() as lake:
        found = kept(lake, ("avg", filters), lambda: quick_metrics.mean(lake, filters))
    return {"status": TASK_COMPLETED, "result": found.mean, "count": found.count, "days": found.days}


def mode(*, actor: Person | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """What an attribute is most often; all of them when several are."""
    require(actor, *ASKERS)
    attribute = str(given.get("attribute") or "")
    filters = _filters(given)
    with reading() as lake:
        found = kept(lake, ("mode", attribute, filters), lambda: quick_metrics.mode(lake, filters, attribute))
    answer: dict[str, Any] = {
        "status": TASK_COMPLETED,
        "attribute": attribute,
        "result": found.values,
        "count": found.count,
    }
    if found.wikis is not None:
        answer["wikis"] = found.wikis
    if note := _note(attribute, filters, found):
        answer["note"] = note
    return answer


def _note(attribute: str, filters: Filters, found: metrics.Mode) -> str:
    notes = []
    if getattr(filters, attribute, None) is not None and (attribute != "size" or not filters.sizematch):
        notes.append(f"The filter {attribute} lets one value pass: it is the only one that can be found.")
    if attribute == "userid" and 0 in found.values:
        notes.append("userid 0 stands for all unregistered authors.")
    if found.is_cut:
        notes.append(f"More than {metrics.MAX_TIES:,} values are as frequent; the first are listed.")
    return " ".join(notes)


def check_metric(name: str, given: Mapping[str, Any]) -> None:
    """Raises what asking would raise."""
    filters = _filters(given, is_date_beside_interval=name == "avg")
    if name == "avg":
        read_interval(filters)
    if name == "mode":
        metrics.check_attribute(str(given.get("attribute") or ""))


def _filters(given: Mapping[str, Any], *, is_date_beside_interval: bool = False) -> Filters:
    known = taken(given)
    return read_filters(known, wikis=wikis_of(known), is_date_beside_interval=is_date_beside_interval)


def wikis_of(given: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The wikis that `wiki`, `locale` and `api` narrow a question to; None: no matter which."""
    wish = {name: str(given[name]) for name in ("wiki", "locale", "api") if given.get(name)}
    if not wish:
        return None
    if any("\0" in value for value in wish.values()):
        return ()
    found = Wiki.objects.all()
    if "wiki" in wish:
        found = found.filter(key=wish["wiki"])
    if "locale" in wish:
        found = found.filter(locale=wish["locale"])
    if "api" in wish:
        found = found.filter(Q(api=wish["api"]) | Q(key=wish["api"]))
    return tuple(found.order_by("key").values_list("key", flat=True))


def revisions(
    *, actor: Person | None, given: Mapping[str, Any], wanted: PageRequest, with_text: bool = False
) -> Page[dict[str, Any]]:
    require(actor, *ASKERS)
    with reading() as lake:
        return listing.revisions(lake, given, wanted, wikis=wikis_of(given), with_text=with_text)


def query_pipeline(
    *,
    actor: Person | None,
    body: str,
    collection: str = "revisions",
    date_format: str = DEFAULT_DATE_FORMAT,
    max_rows: int = MAX_ROWS,
) -> Answer:
    """A MongoDB aggregation pipeline over revisions or articles."""
    require(actor, *ASKERS)
    if collection not in COLLECTIONS:
        raise InvalidInput(f"collection is one of {', '.join(COLLECTIONS)}.", field="collection")
    asked = COLLECTIONS[collection]
    made = translate(read_stages(body), collection=asked, date_format=date_format, max_rows=max_rows)
    articles = _articles() if asked is ARTICLES else None
    found = ask(Question(made.sql, max_rows, made.values, articles, ARTICLES_SQL))
    documents = [document_of(row, made.members) for row in found.rows]
    return Answer(documents, [member.name for member in made.members], found.is_cut)


def query_sql(*, actor: Person | None, sql: str, max_rows: int = MAX_ROWS) -> Answer:
    """A SELECT of the asker's own over revisions, texts and articles."""
    require(actor, *ASKERS)
    if not sql.strip() or len(sql) > MAX_SQL or "\0" in sql:
        raise InvalidInput(f"sql is a SELECT of at most {MAX_SQL:,} characters.", field="sql")
    articles = _articles() if "articles" in sql.lower() else None
    found = ask(Question(sql, max_rows, None, articles, ARTICLES_SQL))
    columns = _unlike(found.columns)
    return Answer(
        [dict(zip(columns, row, strict=True)) for row in found.rows],
        columns,
        found.is_cut,
    )


def _unlike(names: list[str]) -> list[str]:
    """Two columns may have one name; in a document they cannot."""
    seen: dict[str, int] = {}
    unlike = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unlike.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unlike


def _articles() -> str:
    rows = Article.objects.order_by("wiki__key", "pageid").values_list(
        *("wiki__key", "ns", "pageid", "title", "locale"),
        *("first_extraction_date", "last_extraction_date", "last_revision"),
    )
    names = [member.name for member in ARTICLES.members]
    return json.dumps([dict(zip(names, map(_naive, row), strict=True)) for row in rows.iterator()])


def _naive(value: Any) -> Any:
    """As the lake has dates: UTC without a zone."""
    return value.replace(tzinfo=None).isoformat() if hasattr(value, "isoformat") else value
