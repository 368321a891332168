"""When the feeds and sitemaps of a source are looked at between two visits, and whether that pays."""

from __future__ import annotations

from datetime import datetime, timedelta

from ronda.policies.queries import value_of
from ronda.rounds import signals
from ronda.rounds.models import Source, SourceState
from ronda.rounds.policies import ARE_BEACONS_WATCHED
from ronda.rounds.prediction_models import SignalKind

# A visit costs a handful of requests: below such an interval it is no dearer than looking at its feed on the way.
LEAST_INTERVAL_SECONDS = 8 * 3600
LOOKS_AN_INTERVAL = 4
# So many signals are believed on trust; after that at least a third must have been right.
ON_TRUST = 3
LEAST_RIGHT = 1 / 3


def pays(*, interval_seconds: float, judged: int, right: int) -> bool:
    """Whether its feeds are worth a look before the next visit."""
    is_believed = judged < ON_TRUST or right / judged >= LEAST_RIGHT
    return is_believed and interval_seconds >= LEAST_INTERVAL_SECONDS


def step_of(interval_seconds: float) -> timedelta:
    return timedelta(seconds=max(interval_seconds, LEAST_INTERVAL_SECONDS) / LOOKS_AN_INTERVAL)


def set_times(source: Source, *, is_wanted: bool, now: datetime) -> None:
    """After a visit was planned: when its beacons are looked at until then, or that they are not."""
    # Who set an interval wants that one.
    is_wanted = is_wanted and source.every_seconds is None and source.state == SourceState.ACTIVE
    is_wanted = is_wanted and bool(value_of(ARE_BEACONS_WATCHED))
    seconds = (source.next_visit_at - now).total_seconds() if source.next_visit_at else 0.0
    for beacon in source.beacons.all():
        judged, right = signals.record_of(source, SignalKind(beacon.kind))
        is_worth = is_wanted and pays(interval_seconds=seconds, judged=judged, right=right)
        beacon.next_look_at = now + step_of(seconds) if is_worth else None
        beacon.save(update_fields=["next_look_at"])
