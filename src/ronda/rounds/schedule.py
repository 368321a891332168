"""When to visit next, and why then: the interval that was set, or what a predictor says; patience with what is down.

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils.translation import gettext_noop

from ronda.rounds.models import VisitOutcome

SHORTEST_SECONDS, LONGEST_SECONDS = 3600, 30 * 86400
FIRST_PATIENCE_SECONDS, LONGEST_PATIENCE_SECONDS = 300, 86400

AS_SET = gettext_noop("At the interval that was set.")
CANCELLED = gettext_noop("The last visit was cancelled: after the usual interval.")
DOWN = gettext_noop("It was down: tried again with patience, twice as long each time up to a day.")
EXHAUSTED = gettext_noop("The last visit ended before a page came: after the usual interval.")
REFUSED = gettext_noop("Its robots.txt refused us: asked again after a day.")

Values = dict[str, str | int | float]


@dataclass(frozen=True)
class Forecast:
    """What a predictor says: when, why (a sentence with gaps and what fills them), and the chance of a change.

    The chance is that of the next visit, whoever set its time.
    """

    at: datetime
    because: str
    values: Values = field(default_factory=dict)
    chance: float | None = None


@dataclass(frozen=True)
class Plan:
    """`auto_seconds`: from this visit to the next, as the predictor would have it."""

    at: datetime
    because: str
    values: Values
    chance: float | None
    auto_seconds: int
    failed_visits: int


@dataclass(frozen=True)
class Past:
    """What the plan goes by besides the forecast."""

    outcome: VisitOutcome
    every_seconds: int | None
    auto_seconds: int
    failed_visits: int


def is_seen(outcome: str) -> bool:
    """Whether the visit says anything about how the source changes."""
    return outcome in (VisitOutcome.UNCHANGED, VisitOutcome.CAPTURED)


def plan(past: Past, forecast: Forecast, now: datetime) -> Plan:
    """What was down or refused says nothing about changes: the interval found so far stays."""
    if past.outcome == VisitOutcome.DOWN:
        failed = past.failed_visits + 1
        patience = min(FIRST_PATIENCE_SECONDS * 2 ** min(failed - 1, 20), LONGEST_PATIENCE_SECONDS)
        return _after(patience, DOWN, past.auto_seconds, failed, now)
    if past.outcome == VisitOutcome.REFUSED:
        seconds = max(past.every_seconds or 0, LONGEST_PATIENCE_SECONDS)
        return _after(seconds, REFUSED, past.auto_seconds, 0, now)
    auto = seconds_until(forecast.at, now)
    if past.every_seconds:
        at = now + timedelta(seconds=past.every_seconds)
        return Plan(at, AS_SET, {}, forecast.chance, auto, 0)
    if past.outcome == VisitOutcome.EXHAUSTED:
        return _after(auto, EXHAUSTED, auto, 0, now)
    if past.outcome == VisitOutcome.CANCELLED:
        return _after(auto, CANCELLED, auto, 0, now)
    at = now + timedelta(seconds=auto)
    return Plan(at, forecast.because, forecast.values, forecast.chance, auto, 0)


def seconds_until(at: datetime, now: datetime) -> int:
    """Never within the hour, never beyond a month: whatever a predictor says."""
    return int(min(max((at - now).total_seconds(), SHORTEST_SECONDS), LONGEST_SECONDS))


def _after(seconds: int, because: str, auto: int, failed: int, now: datetime) -> Plan:
    return Plan(now + timedelta(seconds=seconds), because, {}, None, auto, failed)
