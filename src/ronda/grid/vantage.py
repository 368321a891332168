"""The same URLs seen from several countries: who fetches them, what happens where nobody can, and how they compare."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from ronda.errors import InvalidInput
from ronda.frontier import leases
from ronda.frontier.blocks import Completion, Wanted
from ronda.frontier.models import Request
from ronda.frontier.places import is_country
from ronda.frontier.purposes import Ended, OutcomeState, tell
from ronda.frontier.purposes import Outcome as Ending
from ronda.grid.comparing import Outcome
from ronda.grid.models import Comparison, Fetch, FetchAnswer
from ronda.grid.policies import VANTAGE_WAIT_SECONDS
from ronda.grid.presence import preference_now
from ronda.policies.queries import value_of

MOST_COUNTRIES = 20
PIECE = 1000
NO_NODE_IN = "no node in "


@dataclass(frozen=True)
class Difference:
    """A URL whose answers differ, with the answers by country."""

    comparison: Comparison
    answers: list[FetchAnswer]


@dataclass(frozen=True)
class VantageSummary:
    countries: list[str]
    is_compared: bool
    match: int
    differ: int
    inconclusive: int


def countries_of(given: Sequence[str]) -> list[str]:
    """Each once, in the order given."""
    countries = list(dict.fromkeys(given))
    if unknown := [country for country in countries if not is_country(country)]:
        raise InvalidInput(
            f"{unknown[0]!r} is no country; give two capital letters, like CL or DE.", field="vantage"
        )
    if len(countries) > MOST_COUNTRIES:
        raise InvalidInput(f"Give at most {MOST_COUNTRIES} countries.", field="vantage")
    return countries


def from_each_country(wanted: Iterable[Wanted], countries: Sequence[str]) -> list[Wanted]:
    return [
        Wanted(one.url, one.host, one.scheme, copy=country, country=country)
        for one in wanted
        for country in countries
    ]


def end_unreachable() -> None:
    """Requests for a country that has no node, and had long enough to get one, end as failed."""
    deadline = timezone.now() - timedelta(seconds=int(value_of(VANTAGE_WAIT_SECONDS)))
    waiting = (
        Request.objects.exclude(country="")
        .exclude(country__in=preference_now().countries)
        .filter(not_before__lte=deadline)
        .values_list("pk", flat=True)
    )
    numbers = list(waiting[:PIECE])
    if not numbers:
        return
    nobody = uuid.UUID(int=0)
    with transaction.atomic():
        ended = leases.complete(completion=Completion(nobody, nobody, numbers, [], []))
        tell(
            Ended(request, Ending(OutcomeState.FAILED, reason=f"{NO_NODE_IN}{request.copy}"))
            for request in ended
        )


def vantage_summary(fetch: Fetch) -> VantageSummary | None:
    if not fetch.vantage:
        return None
    counted = dict(fetch.comparisons.values_list("outcome").annotate(number=Count("pk")))
    urls = (
        fetch.counting_answers.exclude(country="").values("url").distinct().count()
        if len(fetch.vantage) > 1
        else 0
    )
    return VantageSummary(
        countries=fetch.vantage,
        is_compared=fetch.is_done and sum(counted.values()) >= urls,
        match=counted.get(Outcome.MATCH, 0),
        differ=counted.get(Outcome.DIFFER, 0),
        inconclusive=counted.get(Outcome.INCONCLUSIVE, 0),
    )


def differences(fetch: Fetch, most: int) -> list[Difference]:
    """The first URLs whose answers differ."""
    found = list(fetch.comparisons.filter(outcome=Outcome.DIFFER).order_by("url")[:most])
    urls = [comparison.url for comparison in found]
    answers = fetch.counting_answers.exclude(country="").filter(url__in=urls).order_by("country", "pk")
    # Of a room above this one: what clients said of answers.
    answers = answers.prefetch_related("reports")
    by_url: dict[str, list[FetchAnswer]] = {url: [] for url in urls}
    for answer in answers:
        by_url[answer.url].append(answer)
    return [Difference(comparison, by_url[comparison.url]) for comparison in found]
