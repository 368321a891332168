"""What a source's own visits tell of its changes, as predictors take it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import pairwise

from django.utils import timezone

from ronda.archive.models import AUTHORITY
from ronda.rounds.known import last_modified_of
from ronda.rounds.losses import Look
from ronda.rounds.models import PageRole, Signal, Source, Visit, VisitOutcome

# Some years of daily visits, or six weeks of hourly ones: enough to learn from, and read in a moment.
MOST_LOOKS = 1_000
MOST_SIGNALS = 500
MOST_RELATIVES = 8
LOOKS_OF_A_RELATIVE = 100
SEEN = (VisitOutcome.UNCHANGED, VisitOutcome.CAPTURED)


@dataclass(frozen=True)
class Seen:
    """A visit that found the source there."""

    at: datetime
    is_changed: bool
    modified_at: datetime | None = None


@dataclass(frozen=True)
class History:
    """Oldest first. The first look is what others are compared with: it found no change."""

    looks: tuple[Seen, ...] = ()
    signals: tuple[datetime, ...] = ()
    weight: float = 1.0

    @property
    def days(self) -> float:
        """From the first look to the last."""
        return (self.looks[-1].at - self.looks[0].at).total_seconds() / 86_400 if self.looks else 0.0

    @property
    def changes(self) -> tuple[Seen, ...]:
        return tuple(look for look in self.looks if look.is_changed)

    @property
    def intervals(self) -> tuple[Look, ...]:
        """From look to look, in days."""
        return tuple(
            Look((later.at - earlier.at).total_seconds() / 86_400, later.is_changed)
            for earlier, later in pairwise(self.looks)
        )


def history_of(source: Source, most_looks: int = MOST_LOOKS) -> History:
    """The latest visits that found it there."""
    rows = list(
        source.visits.filter(outcome__in=SEEN)
        .order_by("-opened_at")
        .values_list("opened_at", "outcome", "modified_at")[:most_looks]
    )
    looks = [Seen(at, outcome == VisitOutcome.CAPTURED, modified) for at, outcome, modified in reversed(rows)]
    if looks:
        looks[0] = Seen(looks[0].at, False, looks[0].modified_at)
    signals = Signal.objects.filter(source=source).order_by("-at").values_list("at", flat=True)[:MOST_SIGNALS]
    return History(tuple(looks), tuple(reversed(signals)), source.weight)


def relatives_of(source: Source) -> list[History]:
    """Of sources on the same host, those visited last: what changes on one page of a site often changes on others."""
    authority = source.url.split("/")[2]
    others = (
        Source.objects.annotate(authority=AUTHORITY)
        .filter(authority=authority, visited_at__isnull=False)
        .exclude(pk=source.pk)
        .order_by("-visited_at")[:MOST_RELATIVES]
    )
    return [history_of(other, LOOKS_OF_A_RELATIVE) for other in others]


def note_modified(visit: Visit) -> None:
    """What its entry page says of its last change; a clock that runs ahead says nothing."""
    entry = (
        visit.pages.filter(role=PageRole.ENTRY, status=200, capture__isnull=False)
        .select_related("capture__file", "capture__refers_to__file")
        .order_by("pk")
        .last()
    )
    if entry is None or entry.capture is None:
        return
    at = moment_of(last_modified_of(entry.capture))
    if at and at <= timezone.now():
        Visit.objects.filter(pk=visit.pk).update(modified_at=at)


def moment_of(header: str) -> datetime | None:
    """An HTTP date; what is none is not taken."""
    try:
        at = parsedate_to_datetime(header)
    except (ValueError, TypeError):
        return None
    return at if at.tzinfo else None
