"""When things change: endless, ordered streams of moments, one shape per behaviour.

Real histories are burstier than a Poisson process and follow the week, so the
demo offers each of those shapes apart: a predictor can be seen to learn one and to fail at another.
Moments are seconds since the epoch of the demo world.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import takewhile
from random import Random

HOUR = 3600.0
DAY = 24 * HOUR
SATURDAY = 5

# Share of the busiest hour, by local hour: a newsroom sleeps, wakes at six and peaks twice.
NEWSROOM_HOURS = (
    *(0.15, 0.08, 0.05, 0.05, 0.08, 0.25, 0.60, 0.85, 1.00, 0.95, 0.90, 0.85),
    *(0.80, 0.80, 0.75, 0.75, 0.80, 0.90, 0.95, 0.90, 0.75, 0.55, 0.40, 0.25),
)


class Behaviour(StrEnum):
    STEADY = "steady"
    MORNINGS = "working-day mornings"
    BURSTY = "bursty"
    SEASONAL = "seasonal"
    ERRATIC = "erratic"
    NEWSROOM = "newsroom"
    STOPPED = "stopped"
    SILENT = "silent"


@dataclass(frozen=True)
class Rhythm:
    """A behaviour and its pace. `stops_after_days` is only for what has STOPPED."""

    behaviour: Behaviour
    changes_per_day: float
    utc_offset_hours: int = 0
    stops_after_days: float = 0.0


def moments(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    """The moments at which something with this rhythm changes, from the epoch on, in order."""
    return _SHAPES[rhythm.behaviour](rhythm, epoch, random)


def _steady(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    at = 0.0
    while True:
        at += random.expovariate(rhythm.changes_per_day) * DAY
        yield at


def _mornings(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    """Between eight and noon, local time, Monday to Friday; the pace holds over the whole week."""
    local_midnight = _first_local_midnight(rhythm, epoch)
    per_working_day = rhythm.changes_per_day * 7 / 5
    day = 0
    while True:
        midnight = local_midnight + timedelta(days=day)
        if midnight.weekday() < SATURDAY:
            start = (midnight - epoch).total_seconds() - rhythm.utc_offset_hours * HOUR
            yield from sorted(
                start + random.triangular(8, 12, 9) * HOUR for _ in range(_poisson(per_working_day, random))
            )
        day += 1


def _bursty(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    """Long calm, then a handful of changes within the hour."""
    mean_burst = 5
    at = 0.0
    while True:
        at += random.expovariate(rhythm.changes_per_day / mean_burst) * DAY
        yield at
        while random.random() > 1 / mean_burst:
            at += random.expovariate(1) * 10 * 60
            yield at


def _seasonal(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    """Two high seasons a year, as terms have, and nearly nothing between them."""

    def share(at: float) -> float:
        day_of_year = (epoch + timedelta(seconds=at)).timetuple().tm_yday
        return 0.05 + 0.95 * math.cos(math.pi * (day_of_year - 35) / 182.6) ** 2

    return _thinned(rhythm.changes_per_day * 2, share, random)


def _newsroom(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    midnight_shift = (
        _first_local_midnight(rhythm, epoch) - epoch
    ).total_seconds() - rhythm.utc_offset_hours * HOUR
    first_weekday = _first_local_midnight(rhythm, epoch).weekday()

    def share(at: float) -> float:
        day, second = divmod(at - midnight_shift, DAY)
        weekday = (first_weekday + int(day)) % 7
        return NEWSROOM_HOURS[int(second // HOUR)] * (0.5 if weekday >= SATURDAY else 1.0)

    mean_share = sum(NEWSROOM_HOURS) / 24 * 6 / 7
    return _thinned(rhythm.changes_per_day / mean_share, share, random)


def _erratic(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    """Gaps from minutes to months (log-normal, coefficient of variation near 3)."""
    sigma = 1.5
    median_gap_seconds = DAY / rhythm.changes_per_day / math.exp(sigma**2 / 2)
    at = 0.0
    while True:
        at += random.lognormvariate(math.log(median_gap_seconds), sigma)
        yield at


def _stopped(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    end = rhythm.stops_after_days * DAY
    return takewhile(lambda at: at < end, _steady(rhythm, epoch, random))


def _silent(rhythm: Rhythm, epoch: datetime, random: Random) -> Iterator[float]:
    return iter(())


def _thinned(peak_per_day: float, share: Callable[[float], float], random: Random) -> Iterator[float]:
    """A Poisson process of varying rate, by thinning one at its peak rate (Lewis and Shedler 1979)."""
    at = 0.0
    while True:
        at += random.expovariate(peak_per_day) * DAY
        if random.random() < share(at):
            yield at


def _poisson(mean: float, random: Random) -> int:
    """Knuth's method: exact and quick for the small means of one day."""
    threshold, product, count = math.exp(-mean), random.random(), 0
    while product > threshold:
        product *= random.random()
        count += 1
    return count


def _first_local_midnight(rhythm: Rhythm, epoch: datetime) -> datetime:
    """The first midnight on the local calendar that is not before the epoch, labelled by its local date."""
    local = epoch + timedelta(hours=rhythm.utc_offset_hours)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight if midnight >= local else midnight + timedelta(days=1)


_SHAPES: dict[Behaviour, Callable[[Rhythm, datetime, Random], Iterator[float]]] = {
    Behaviour.STEADY: _steady,
    Behaviour.MORNINGS: _mornings,
    Behaviour.BURSTY: _bursty,
    Behaviour.SEASONAL: _seasonal,
    Behaviour.ERRATIC: _erratic,
    Behaviour.NEWSROOM: _newsroom,
    Behaviour.STOPPED: _stopped,
    Behaviour.SILENT: _silent,
}
