"""Sources by how often and how they change, with the sums of the document: of a group, and of all that one may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Count, F, FloatField, QuerySet, Sum
from django.db.models.functions import Cast

from ronda.accounts.models import Person
from ronda.rounds.models import Source
from ronda.rounds.prediction_models import Behaviour, FrequencyGroup
from ronda.rounds.queries import visible_sources

SORTABLE = {
    "url": "url",
    "frequency": "record__frequency",
    "changes": "record__changes",
    "lost": "record__lost",
    "visits": "record__visits",
    "needless": "record__needless",
    "bytes_stored": "record__bytes_stored",
    "bytes_saved": "record__bytes_saved",
}


@dataclass(frozen=True)
class GroupFilter:
    group: str = ""
    behaviour: str = ""
    collection: str = ""


@dataclass(frozen=True)
class GroupSums:
    """The document's columns. Shares are of site-days: so many days, so many sources."""

    name: str
    sources: int
    site_days: int
    mean_frequency: float
    changes: int
    lost: float
    visits: int
    needless: int
    bytes_stored: int
    bytes_saved: int

    @property
    def lost_share(self) -> float:
        return self.lost / self.site_days if self.site_days else 0.0

    @property
    def needless_share(self) -> float:
        return self.needless / self.site_days if self.site_days else 0.0


def grouped(*, actor: Person | None, wanted: GroupFilter) -> QuerySet[Source]:
    """Sources that were visited often enough to be of a group."""
    found = visible_sources(actor).select_related("record", "collection").exclude(record=None)
    if wanted.collection:
        found = found.filter(collection__slug=wanted.collection)
    if wanted.group:
        found = found.filter(record__group=wanted.group)
    if wanted.behaviour:
        found = found.filter(record__behaviour=wanted.behaviour)
    return found


def sums_by_group(sources: QuerySet[Source]) -> list[GroupSums]:
    return _sums(sources, "record__group", list(FrequencyGroup.values))


def sums_by_behaviour(sources: QuerySet[Source]) -> list[GroupSums]:
    return _sums(sources, "record__behaviour", list(Behaviour.values))


def sums_of_all(sources: QuerySet[Source]) -> GroupSums:
    return GroupSums(name="", **sources.order_by().aggregate(sources=Count("pk"), **_TOTALS))


_TOTALS: dict[str, Any] = {
    "site_days": Sum("record__observed_days", default=0),
    "mean_frequency": Avg("record__frequency", default=0.0),
    "changes": Sum("record__changes", default=0),
    "lost": Sum(Cast(F("record__lost"), FloatField()), default=0.0),
    "visits": Sum("record__visits", default=0),
    "needless": Sum("record__needless", default=0),
    "bytes_stored": Sum("record__bytes_stored", default=0),
    "bytes_saved": Sum("record__bytes_saved", default=0),
}


def _sums(sources: QuerySet[Source], field: str, order: list[str]) -> list[GroupSums]:
    sums: Any = sources.order_by().values(name=F(field)).annotate(sources=Count("pk"), **_TOTALS)
    found = {row["name"]: GroupSums(**row) for row in sums}
    return [found[name] for name in order if name in found]
