from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from ronda.demo import ClockError, DemoClock

START = datetime(2025, 3, 1, tzinfo=UTC)


class Seconds:
    """A monotonic clock that a test turns by hand."""

    def __init__(self) -> None:
        self.value = 100.0

    def __call__(self) -> float:
        return self.value


def test_it_runs_as_many_times_faster_as_told() -> None:
    seconds = Seconds()
    clock = DemoClock(START, speed=3600, monotonic=seconds)
    seconds.value += 2.5
    assert clock.now() == START + timedelta(hours=2.5)


def test_a_change_of_speed_keeps_the_time_gone_by() -> None:
    seconds = Seconds()
    clock = DemoClock(START, speed=10, monotonic=seconds)
    seconds.value += 6
    clock.set_speed(0)
    seconds.value += 1000
    assert clock.now() == START + timedelta(minutes=1)
    clock.set_speed(1)
    seconds.value += 1
    assert clock.now() == START + timedelta(seconds=61)


def test_it_can_be_moved_both_ways() -> None:
    clock = DemoClock(START, speed=0)
    assert clock.advance(timedelta(days=1)) == START + timedelta(days=1)
    clock.set(START - timedelta(days=1))
    assert clock.now() == START - timedelta(days=1)


def test_without_a_start_it_shows_the_real_time() -> None:
    before = datetime.now(UTC)
    assert before <= DemoClock().now() <= datetime.now(UTC) + timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: DemoClock(START.replace(tzinfo=None)),
        lambda: DemoClock(START, speed=-1),
        lambda: DemoClock(START, speed=float("nan")),
        lambda: DemoClock(START).advance(timedelta(days=-1)),
        lambda: DemoClock(START).advance(timedelta.max),
    ],
)
def test_impossible_moves_are_refused(mistake: Callable[[], object]) -> None:
    with pytest.raises(ClockError):
        mistake()
