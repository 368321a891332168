"""When the next visit comes, and why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ronda.rounds import schedule
from ronda.rounds.models import VisitOutcome
from ronda.rounds.schedule import Forecast, Past, Plan, plan

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def after(outcome: VisitOutcome, ahead: timedelta = timedelta(days=2), **given: object) -> Plan:
    usual = {"every_seconds": None, "auto_seconds": 86400, "failed_visits": 0}
    forecast = Forecast(NOW + ahead, "Changes every %(days)d days.", {"days": 2}, 0.7)
    return plan(Past(outcome, **{**usual, **given}), forecast, NOW)  # type: ignore[arg-type]


def test_interval_that_was_set() -> None:
    planned = after(VisitOutcome.CAPTURED, every_seconds=600)
    assert planned.at == NOW + timedelta(minutes=10)
    assert planned.because == schedule.AS_SET
    assert planned.chance == 0.7
    assert planned.auto_seconds == 2 * 86400, "what the predictor would have said is known, too"


def test_as_the_predictor_says() -> None:
    planned = after(VisitOutcome.UNCHANGED)
    assert planned.at == NOW + timedelta(days=2)
    assert planned.because % planned.values == "Changes every 2 days."
    assert planned.chance == 0.7
    assert planned.auto_seconds == 2 * 86400


@given(
    st.integers(min_value=-(10**9), max_value=10**9), st.sampled_from(["captured", "unchanged", "cancelled"])
)
def test_whatever_it_says_within_an_hour_and_a_month(seconds: int, outcome: str) -> None:
    planned = after(VisitOutcome(outcome), timedelta(seconds=seconds))
    assert timedelta(hours=1) <= planned.at - NOW <= timedelta(days=30)


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
