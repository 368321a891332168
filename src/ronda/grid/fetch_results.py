"""What came out of a fetch: the answers one looks for, and how many there are of each kind."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import connection
from django.db.models import Count, Q, QuerySet

from ronda.accounts.models import Person
from ronda.archive.models import AUTHORITY, Capture
from ronda.archive.redirects import steps_before
from ronda.database.named_sql import named_sql
from ronda.grid.fetches import answers
from ronda.grid.minutes import CLASSES
from ronda.grid.models import AnswerState, Fetch, FetchAnswer

OUTCOMES = (*CLASSES, AnswerState.FAILED.value, AnswerState.REFUSED.value, AnswerState.CANCELLED.value)
LONGEST_LIST = 10
PIECE = 1000


@dataclass(frozen=True)
class Counted:
    name: str
    urls: int


@dataclass(frozen=True)
class Summary:
    """A fetch's answers by class of status or state, and its most frequent hosts and reasons."""

    outcomes: list[Counted]
    hosts: list[Counted]
    reasons: list[Counted]


def results(
    *, actor: Person | None, fetch_id: uuid.UUID, outcome: str = "", host: str = "", reason: str = ""
) -> QuerySet[FetchAnswer]:
    found = answers(actor=actor, fetch_id=fetch_id).exclude(state=AnswerState.VOID)
    if outcome in CLASSES:
        first = int(outcome[0]) * 100
        found = found.filter(state=AnswerState.FETCHED, status__gte=first, status__lt=first + 100)
    elif outcome:
        found = found.filter(state=outcome)
    if host:
        found = found.alias(authority=AUTHORITY).filter(authority=host)
    return found.filter(reason=reason) if reason else found


def captures_of(*, actor: Person | None, fetch_id: uuid.UUID) -> Iterator[Capture]:
    """What was fetched, each behind the redirects that led to it: whoever looks for the URL they asked for finds it."""
    found = answers(actor=actor, fetch_id=fetch_id).filter(capture__isnull=False, state=AnswerState.FETCHED)
    return _with_steps(found.iterator(PIECE))


def _with_steps(found: Iterator[FetchAnswer]) -> Iterator[Capture]:
    while some := list(islice(found, PIECE)):
        steps = steps_before({answer.capture_id: answer.url for answer in some if answer.capture_id})
        for answer in some:
            if answer.capture:
                yield from steps.get(answer.capture.pk, ())
                yield answer.capture


def summary(fetch: Fetch) -> Summary:
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.grid", "fetch_outcomes"), {"fetch": fetch.pk})
        counted = dict(cursor.fetchall())
    return Summary(
        outcomes=[Counted(name, counted[name]) for name in OUTCOMES if name in counted],
        hosts=_most(fetch.counting_answers.annotate(authority=AUTHORITY).exclude(authority=""), "authority"),
        reasons=_most(fetch.counting_answers.filter(~Q(reason="")), "reason"),
    )


def _most(found: QuerySet[FetchAnswer], name: str) -> list[Counted]:
    counted = found.values_list(name).annotate(urls=Count("pk")).order_by("-urls", name)[:LONGEST_LIST]
    return [Counted(*row) for row in counted]
