"""When the next visit comes, and why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ronda.rounds import schedule
from ronda.rounds.models import VisitOutcome
from ronda.rounds.schedule import Past, Plan, plan

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def after(outcome: VisitOutcome, **given: object) -> Plan:
    usual = {"is_first": False, "every_seconds": None, "auto_seconds": 86400, "failed_visits": 0}
    return plan(Past(outcome, **{**usual, **given}), NOW)  # type: ignore[arg-type]


def test_interval_that_was_set() -> None:
    planned = after(VisitOutcome.CAPTURED, every_seconds=600)
    assert planned.at == NOW + timedelta(minutes=10)
    assert planned.because == schedule.AS_SET


def test_interval_felt_for() -> None:
    assert after(VisitOutcome.CAPTURED).auto_seconds == int(86400 * 0.8)
    assert after(VisitOutcome.UNCHANGED).auto_seconds == int(86400 * 1.2)
    assert after(VisitOutcome.CAPTURED, is_first=True).at == NOW + timedelta(days=1)
    assert after(VisitOutcome.CAPTURED, auto_seconds=3700).at == NOW + timedelta(hours=1)
    assert after(VisitOutcome.UNCHANGED, auto_seconds=29 * 86400).at == NOW + timedelta(days=30)
    assert after(VisitOutcome.CANCELLED).auto_seconds == 86400


def test_patience_with_what_is_down() -> None:
    waits, failed = [], 0
    for _ in range(12):
        planned = after(VisitOutcome.DOWN, failed_visits=failed, every_seconds=60)
        waits.append((planned.at - NOW).total_seconds())
        failed = planned.failed_visits
    assert waits[:3] == [300, 600, 1200]
    assert waits[-1] == 86400
    assert planned.because == schedule.DOWN
    assert planned.auto_seconds == 86400, "being down says nothing about how often it changes"
    assert after(VisitOutcome.UNCHANGED, failed_visits=failed).failed_visits == 0
    assert after(VisitOutcome.REFUSED, every_seconds=60).at == NOW + timedelta(days=1)
