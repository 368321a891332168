"""When to visit next, and why then: an interval that was set, or one that is felt for; patience with what is down.

Pure. The rule is that of Nutch: modest, and good until somebody learns how each source changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext_noop

from ronda.rounds.models import VisitOutcome

SOONER, LATER = 0.8, 1.2
SHORTEST_SECONDS, LONGEST_SECONDS = 3600, 30 * 86400
FIRST_PATIENCE_SECONDS, LONGEST_PATIENCE_SECONDS = 300, 86400

AS_SET = gettext_noop("At the interval that was set.")
CHANGED = gettext_noop("It had changed: a fifth sooner than last time.")
UNCHANGED = gettext_noop("It had not changed: a fifth later than last time.")
FIRST = gettext_noop("How often it changes is not known yet.")
CANCELLED = gettext_noop("The last visit was cancelled: after the usual interval.")
DOWN = gettext_noop("It was down: tried again with patience, twice as long each time up to a day.")
REFUSED = gettext_noop("Its robots.txt refused us: asked again after a day.")


@dataclass(frozen=True)
class Plan:
    """`auto_seconds`: the interval felt for so far."""

    at: datetime
    because: str
    auto_seconds: int
    failed_visits: int


@dataclass(frozen=True)
class Past:
    """What the plan goes by. `is_first`: there was no version to compare with."""

    outcome: VisitOutcome
    is_first: bool
    every_seconds: int | None
    auto_seconds: int
    failed_visits: int


def plan(past: Past, now: datetime) -> Plan:
    if past.outcome == VisitOutcome.DOWN:
        failed = past.failed_visits + 1
        patience = min(FIRST_PATIENCE_SECONDS * 2 ** min(failed - 1, 20), LONGEST_PATIENCE_SECONDS)
        return _after(patience, DOWN, past.auto_seconds, failed, now)
    if past.outcome == VisitOutcome.REFUSED:
        seconds = max(past.every_seconds or 0, LONGEST_PATIENCE_SECONDS)
        return _after(seconds, REFUSED, past.auto_seconds, 0, now)
    auto, because = _felt_for(past)
    if past.every_seconds:
        return _after(past.every_seconds, AS_SET, auto, 0, now)
    return _after(auto, because, auto, 0, now)


def _felt_for(past: Past) -> tuple[int, str]:
    if past.outcome == VisitOutcome.CANCELLED:
        return past.auto_seconds, CANCELLED
    if past.is_first:
        return past.auto_seconds, FIRST
    is_changed = past.outcome == VisitOutcome.CAPTURED
    seconds = past.auto_seconds * (SOONER if is_changed else LATER)
    return int(min(max(seconds, SHORTEST_SECONDS), LONGEST_SECONDS)), CHANGED if is_changed else UNCHANGED


def _after(seconds: int, because: str, auto: int, failed: int, now: datetime) -> Plan:
    return Plan(now + timedelta(seconds=seconds), because, auto, failed)
