"""What visits came to over time, for charts: of one source week by week, of all that one may see day by day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Count, DateTimeField, F, Q, QuerySet, Sum
from django.db.models.functions import Trunc
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.rounds.models import Source, Visit, VisitOutcome
from ronda.rounds.observing import SEEN
from ronda.rounds.queries import visible_visits

WEEKS_SHOWN = 53
DAYS_SHOWN = 30


@dataclass(frozen=True)
class Step:
    at: datetime
    visits: int = 0
    changes: int = 0
    needless: int = 0
    bytes_stored: int = 0
    bytes_saved: int = 0


def weeks_of(source: Source) -> list[Step]:
    """The last year, from its first visit on."""
    return _steps(source.visits.all(), "week", timedelta(weeks=1), WEEKS_SHOWN)


def days_of_all(*, actor: Person | None, collection: str = "") -> list[Step]:
    """The last month."""
    visits = visible_visits(actor)
    if collection:
        visits = visits.filter(source__collection__slug=collection)
    return _steps(visits, "day", timedelta(days=1), DAYS_SHOWN)


def _steps(visits: QuerySet[Visit], kind: str, step: timedelta, most: int) -> list[Step]:
    """One for each week or day since the first that has a visit, those without one too."""
    now = timezone.now().astimezone(UTC)
    seen = visits.filter(outcome__in=SEEN, opened_at__gte=now - step * most)
    rows = (
        seen.annotate(at=Trunc("opened_at", kind, output_field=DateTimeField(), tzinfo=UTC))
        .order_by()
        .values("at")
        .annotate(**_COUNTS)
    )
    found = {row["at"]: Step(**row) for row in rows}
    if not found:
        return []
    at, steps = min(found), []
    while at <= now:
        steps.append(found.get(at, Step(at)))
        at += step
    return steps


_KEPT = Q(version__forgotten_at=None)
_COUNTS: dict[str, Any] = {
    "visits": Count("pk"),
    # The first version of a source is what others are compared with.
    "changes": Count("pk", filter=Q(outcome=VisitOutcome.CAPTURED) & ~Q(version__number=1)),
    "needless": Count("pk", filter=Q(outcome=VisitOutcome.UNCHANGED)),
    "bytes_stored": Sum(F("version__bytes_stored"), filter=_KEPT, default=0),
    "bytes_saved": Sum(F("version__bytes_saved"), filter=_KEPT, default=0),
}
