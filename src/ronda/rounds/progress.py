"""A visit as it goes: how many pages are where, what came last, and what the rest waits for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Func, TextField, Value

from ronda.frontier.waiting import WaitsFor, waiting_among
from ronda.rounds.models import PageState, Visit, VisitPage, VisitState

LATEST_SHOWN = 15
HOSTS_SHOWN = 8
_AUTHORITY = Func(F("url"), Value("/"), Value(3), function="split_part", output_field=TextField())


@dataclass(frozen=True)
class HostOfVisit:
    """A host with pages of this visit still to come. Nothing about it that other people's URLs would show in."""

    name: str
    pages: int
    waits_for: WaitsFor | None
    until: datetime | None


@dataclass(frozen=True)
class Progress:
    counts: dict[PageState, int]
    latest: list[VisitPage]
    hosts: list[HostOfVisit]
    seconds: float

    @property
    def found(self) -> int:
        return sum(self.counts.values())

    @property
    def ended(self) -> int:
        return self.found - self.counts[PageState.QUEUED] - self.counts[PageState.ANSWERED]

    @property
    def percent(self) -> int:
        return 100 * self.ended // self.found if self.found else 0


def counts_of(visit: Visit) -> dict[PageState, int]:
    rows = visit.pages.values_list("state").annotate(number=Count("pk")).order_by()
    counted = dict(rows)
    return {state: counted.get(state.value, 0) for state in PageState}


def progress_of(visit: Visit) -> Progress:
    """Whoever asks has seen the visit."""
    latest = visit.pages.exclude(state=PageState.QUEUED).select_related("capture__refers_to").order_by("-pk")
    return Progress(
        counts=counts_of(visit),
        latest=list(latest[:LATEST_SHOWN]),
        hosts=[] if visit.state == VisitState.ENDED else _hosts(visit),
        seconds=visit.seconds,
    )


def _hosts(visit: Visit) -> list[HostOfVisit]:
    queued = visit.pages.filter(state=PageState.QUEUED).annotate(host=_AUTHORITY).values_list("host")
    most = list(queued.annotate(number=Count("pk")).order_by("-number", "host")[:HOSTS_SHOWN])
    waiting = waiting_among([name for name, _number in most])
    return [
        HostOfVisit(
            name,
            number,
            waiting[name].waits_for if name in waiting else None,
            waiting[name].until if name in waiting else None,
        )
        for name, number in most
    ]
