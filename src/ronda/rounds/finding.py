"""Searching as people do it: topics are those of sources, and what was looked for is remembered, for oneself."""

from __future__ import annotations

from dataclasses import replace

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.archive.models import PastSearch
from ronda.archive.search import Found, SearchWanted, search
from ronda.rounds.queries import visible_sources

MOST_REMEMBERED = 200


def find(
    *,
    actor: Person | None,
    wanted: SearchWanted,
    topic: int | None = None,
    page: int = 1,
    page_size: int = 20,
) -> Found:
    if topic is not None:
        sources = visible_sources(actor).filter(topic=topic).values_list("pk", flat=True)
        wanted = replace(wanted, sources=tuple(sources))
    return search(actor=actor, wanted=wanted, page=page, page_size=page_size)


def remember(*, actor: Person | None, given: dict[str, str]) -> None:
    """The newest time of each search; the oldest are forgotten."""
    person = require(actor)
    query = QueryDict(mutable=True)
    query.update({name: value for name, value in sorted(given.items()) if value})
    said = query.urlencode()
    if not said or len(said) > PastSearch._meta.get_field("query").max_length:  # type: ignore[operator]
        return
    PastSearch.objects.update_or_create(person=person, query=said, defaults={"searched_at": timezone.now()})
    old = past_searches(actor=actor)[MOST_REMEMBERED:].values("pk")
    PastSearch.objects.filter(pk__in=list(old.values_list("pk", flat=True))).delete()


def past_searches(*, actor: Person | None) -> QuerySet[PastSearch]:
    """One's own, newest first."""
    return PastSearch.objects.filter(person=require(actor)).order_by("-searched_at")


def forget_searches(*, actor: Person | None) -> int:
    """All of one's own."""
    return PastSearch.objects.filter(person=require(actor)).delete()[0]
