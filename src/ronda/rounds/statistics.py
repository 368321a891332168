"""Sources and collections in numbers: days of visits, sizes and durations of versions, sums."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone
from django.utils.translation import ngettext

from ronda.archive.models import Collection
from ronda.rounds.models import Source, SourceState, Version, VisitOutcome

DAYS_SHOWN = 371  # 53 weeks: a whole year, whatever day it is today
VERSIONS_DRAWN = 60


@dataclass(frozen=True)
class Day:
    """A day with visits, as a calendar shows it."""

    visits: int
    versions: int
    down: int

    @property
    def kind(self) -> str:
        if self.versions:
            return f"kept-{min(3, self.versions)}"
        return "down" if self.down == self.visits else "seen"

    @property
    def words(self) -> str:
        visits = ngettext("%(count)d visit", "%(count)d visits", self.visits) % {"count": self.visits}
        kept = ngettext("%(count)d version", "%(count)d versions", self.versions) % {"count": self.versions}
        return f"{visits} · {kept}"


@dataclass(frozen=True)
class VersionStep:
    """A version as a bar of a chart."""

    at: datetime
    bytes_stored: int
    bytes_saved: int
    seconds: float
    documents: int


@dataclass(frozen=True)
class Totals:
    sources: int
    active: int
    versions: int
    documents: int
    bytes_stored: int
    bytes_saved: int
    latest_at: datetime | None


def days_of(source: Source) -> dict[date, Day]:
    """Days (UTC) of the last year with a visit. Whoever asks has seen the source."""
    since = timezone.now() - timedelta(days=DAYS_SHOWN)
    rows = (
        source.visits.filter(opened_at__gte=since)
        .annotate(day=TruncDate("opened_at"))
        .values("day")
        .annotate(
            visits=Count("pk"),
            versions=Count("version", filter=Q(version__forgotten_at=None)),
            down=Count("pk", filter=Q(outcome=VisitOutcome.DOWN)),
        )
        .order_by("day")
    )
    return {row["day"]: Day(row["visits"], row["versions"], row["down"]) for row in rows}


def steps_of(versions: QuerySet[Version]) -> list[VersionStep]:
    """The latest, oldest first."""
    latest = list(versions.order_by("-number")[:VERSIONS_DRAWN])
    return [
        VersionStep(
            version.started_at,
            version.bytes_stored,
            version.bytes_saved,
            version.seconds,
            version.documents,
        )
        for version in reversed(latest)
    ]


def totals_of(collection: Collection) -> Totals:
    """Whoever asks has seen the collection."""
    sources = Source.objects.filter(collection=collection)
    sums = Version.objects.filter(source__collection=collection, forgotten_at=None).aggregate(
        versions=Count("pk"),
        documents=Sum("documents", default=0),
        bytes_stored=Sum("bytes_stored", default=0),
        bytes_saved=Sum("bytes_saved", default=0),
        latest_at=Max("ended_at"),
    )
    return Totals(sources=sources.count(), active=sources.filter(state=SourceState.ACTIVE).count(), **sums)
