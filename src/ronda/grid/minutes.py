"""What came in, minute by minute: counted with each upload, summed up for pages, dropped when old."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import Sum
from django.utils import timezone

from ronda.database.named_sql import named_sql
from ronda.grid.models import MinuteCount

KEPT = timedelta(days=8)
RECENT = timedelta(minutes=3)
MINUTE = timedelta(minutes=1)
REFUSED = "refused"
CLASSES = ("2xx", "3xx", "4xx", "5xx")
LONGEST_OUTCOME = 24


@dataclass(frozen=True)
class Amount:
    urls: int = 0
    size_bytes: int = 0


@dataclass(frozen=True)
class Period:
    """A stretch of time with a number for each step of it."""

    length: timedelta
    step: timedelta


PERIODS = {
    "hour": Period(timedelta(hours=1), MINUTE),
    "day": Period(timedelta(days=1), timedelta(minutes=20)),
    "week": Period(timedelta(days=7), timedelta(hours=3)),
}


@dataclass(frozen=True)
class Step:
    """One step of a period: what began `at`."""

    at: datetime
    answered: int = 0
    failed: int = 0
    refused: int = 0
    size_bytes: int = 0

    @property
    def urls(self) -> int:
        return self.answered + self.failed + self.refused


def class_of(status: int) -> str:
    return f"{min(5, max(2, status // 100))}xx"


def count(*, node_id: uuid.UUID, amounts: Mapping[str, Amount]) -> None:
    """Add to this minute's rows of a node; in the transaction that ends what is counted."""
    known = {outcome[:LONGEST_OUTCOME]: amount for outcome, amount in sorted(amounts.items())}
    if not known:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.grid", "count_minute"),
            {
                "node": node_id,
                "outcomes": list(known),
                "urls": [amount.urls for amount in known.values()],
                "sizes": [amount.size_bytes for amount in known.values()],
            },
        )


def outcomes_since(since: datetime) -> Counter[str]:
    """URLs by outcome, over all nodes."""
    rows = MinuteCount.objects.filter(minute__gte=since).values_list("outcome").annotate(Sum("urls"))
    return Counter(dict(rows))


def urls_per_second(now: datetime | None = None) -> float:
    """Over the last whole minutes and the one that runs."""
    now = now or timezone.now()
    start = _floor(now, MINUTE) - RECENT + MINUTE
    urls = MinuteCount.objects.filter(minute__gte=start).aggregate(sum=Sum("urls"))["sum"] or 0
    return float(urls / max(1.0, (now - start).total_seconds()))


def steps(period: Period, *, node_id: uuid.UUID | None = None, now: datetime | None = None) -> list[Step]:
    """The period up to now, step by step, of one node or of all; a step without an answer is there too."""
    end = _floor(now or timezone.now(), period.step)
    start = end - period.length + period.step
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.grid", "steps"),
            {
                "node": node_id,
                "start": start,
                "step_seconds": period.step.total_seconds(),
                "classes": list(CLASSES),
            },
        )
        found = {row[0]: Step(*row) for row in cursor.fetchall()}
    moments = (start + number * period.step for number in range(period.length // period.step))
    return [found.get(moment, Step(moment)) for moment in moments]


def _floor(moment: datetime, step: timedelta) -> datetime:
    seconds = step.total_seconds()
    return datetime.fromtimestamp(moment.timestamp() // seconds * seconds, UTC)


def drop_old_minutes() -> None:
    MinuteCount.objects.filter(minute__lt=timezone.now() - KEPT).delete()
