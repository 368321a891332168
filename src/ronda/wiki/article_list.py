"""Articles as the document lists them: a filter on every attribute, pages, an order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.errors import InvalidInput
from ronda.http.paging import Page, PageRequest, paginate
from ronda.wiki.consulting import ASKERS
from ronda.wiki.models import Article

SORTABLE = {
    "title": "title",
    "pageid": "pageid",
    "ns": "ns",
    "locale": "locale",
    "wiki": "wiki__key",
    "first_extraction_date": "first_extraction_date",
    "last_extraction_date": "last_extraction_date",
    "last_revision_extracted": "last_revision",
    "revisions": "revisions",
}


def articles(*, actor: Person | None, given: Mapping[str, Any], wanted: PageRequest) -> Page[dict[str, Any]]:
    require(actor, *ASKERS)
    found = _filtered(Article.objects.select_related("wiki"), given)
    page = paginate(found, wanted, sortable=SORTABLE, default="title")
    return Page([_shown(article) for article in page.items], page.page, page.page_size, page.total, page.sort)


def _filtered(found: QuerySet[Article], given: Mapping[str, Any]) -> QuerySet[Article]:
    """What is not on the list is ignored."""
    for name in ("title", "locale", "wiki"):
        if value := str(given.get(name) or ""):
            if "\0" in value:
                return found.none()
            value = value.replace("_", " ") if name == "title" else value
            found = found.filter(**{SORTABLE[name]: value})
    for name in ("pageid", "ns", "last_revision_extracted"):
        if value := str(given.get(name) or "").strip():
            if not re.fullmatch(r"[+-]?\d{1,18}", value):
                raise InvalidInput(f"{name} is a whole number, not “{value[:40]}”.", field=name)
            if name == "ns" and abs(int(value)) >= 2**31:
                return found.none()
            found = found.filter(**{SORTABLE[name]: int(value)})
    for name in ("first_extraction_date", "last_extraction_date"):
        if value := str(given.get(name) or ""):
            start, end = _span(name, value)
            found = found.filter(**{f"{name}__gte": start, f"{name}__lt": end})
    return found


def _span(name: str, value: str) -> tuple[datetime, datetime]:
    """A whole day, or the very moment."""
    try:
        if len(value) == 10:
            day = date.fromisoformat(value)
            start = datetime(day.year, day.month, day.day, tzinfo=UTC)
            return start, start + timedelta(days=1)
        moment = datetime.fromisoformat(value)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return moment, moment + timedelta(microseconds=1)
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{name} is a day (YYYY-MM-DD) or a moment (YYYY-MM-DDTHH:MM:SS), not “{value[:40]}”.", field=name
        ) from None


def _shown(article: Article) -> dict[str, Any]:
    return {
        "id": article.pk,
        "wiki": article.wiki.key,
        "ns": article.ns,
        "pageid": article.pageid,
        "title": article.title,
        "locale": article.locale,
        "first_extraction_date": _as_printed(article.first_extraction_date),
        "last_extraction_date": _as_printed(article.last_extraction_date),
        "last_revision_extracted": article.last_revision,
        "revisions": article.revisions,
        "completeness": article.completeness,
    }


def _as_printed(moment: datetime | None) -> str | None:
    """As the document prints dates: UTC without a zone."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat() if moment else None
