"""Word from elsewhere that a source changed: kept for its predictor, and judged by the visit that follows."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Count, Q

from ronda.accounts.models import Person
from ronda.rounds.models import Signal, Source, Visit
from ronda.rounds.prediction_models import SignalKind

# However often it is told of, a source is left alone for so long after a visit.
REST_SECONDS = 600
# Whoever says it again within so long says nothing new.
SAME_SECONDS = 60
KEPT_DAYS = 400


def note(
    source: Source, kind: SignalKind, *, at: datetime, url: str = "", person: Person | None = None
) -> bool:
    """Whether it is news."""
    again = Signal.objects.filter(source=source, kind=kind, at__gt=at - timedelta(seconds=SAME_SECONDS))
    if again.exists():
        return False
    Signal.objects.create(source=source, kind=kind, at=at, url=url[:2048], person=person)
    return True


def judge(source: Source, visit: Visit, *, is_changed: bool) -> None:
    """Those that came before the visit looked were right, or not."""
    Signal.objects.filter(source=source, was_right=None, at__lte=visit.opened_at).update(was_right=is_changed)


def is_any_waiting(source: Source) -> bool:
    """Whether one came since the last visit looked."""
    return Signal.objects.filter(source=source, was_right=None).exists()


def record_of(source: Source, kind: SignalKind) -> tuple[int, int]:
    """How many signals of a kind were judged so far, and how many were right."""
    judged = Signal.objects.filter(source=source, kind=kind, was_right__isnull=False)
    counts = judged.aggregate(all=Count("pk"), right=Count("pk", filter=Q(was_right=True)))
    return counts["all"], counts["right"]


def told_by(person: Person, since: datetime) -> int:
    return Signal.objects.filter(person=person, at__gt=since).count()


def forget_old(now: datetime) -> None:
    """Longer than a year, so that seasons can be learnt from."""
    Signal.objects.filter(at__lt=now - timedelta(days=KEPT_DAYS)).delete()
