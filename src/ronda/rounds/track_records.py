"""The counts of a source: visits, changes, what was lost, how often it changes, and how. Written when a visit ends."""

from __future__ import annotations

import math

import numpy as np
from django.db.models import Count, Q, Sum

from ronda.prediction.groups import Profile, profile
from ronda.rounds import losses
from ronda.rounds.models import Source, TrackRecord, VisitOutcome
from ronda.rounds.observing import SEEN, History

# Of a source that was followed since yesterday nobody can say how often it changes.
FEWEST_DAYS = 7


def note(source: Source, history: History) -> TrackRecord:
    counts = source.visits.aggregate(
        visits=Count("pk", filter=Q(outcome__in=SEEN)),
        needless=Count("pk", filter=Q(outcome=VisitOutcome.UNCHANGED)),
    )
    kept = source.versions.filter(forgotten_at=None).aggregate(
        stored=Sum("bytes_stored", default=0), saved=Sum("bytes_saved", default=0)
    )
    # The first look found nothing that could have changed.
    changes = max(0, counts["visits"] - counts["needless"] - 1)
    seen = profile_of(history)
    record, _ = TrackRecord.objects.update_or_create(
        pk=source.pk,
        defaults={
            **counts,
            "changes": changes,
            "lost": _lost(history, changes),
            "bytes_stored": kept["stored"],
            "bytes_saved": kept["saved"],
            "observed_days": math.ceil(seen.observed_days),
            "frequency": seen.share,
            "group": seen.frequency.value if seen.observed_days >= FEWEST_DAYS else "",
            "behaviour": seen.behaviour.value if seen.behaviour else "",
        },
    )
    return record


def _lost(history: History, changes: int) -> float:
    """Of a history longer than what is read: as much again for the part before."""
    read = len(history.changes)
    return losses.lost(history.intervals) * (changes / read if read else 1)


def profile_of(history: History) -> Profile:
    """How often it changes, and how, as far as its latest looks tell."""
    return profile(
        np.array([look.at.timestamp() for look in history.looks]),
        np.array([look.is_changed for look in history.looks], dtype=np.bool_),
    )
