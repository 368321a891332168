"""Days: their number since 1970, the same day a year ago, and what kind of day they are. All UTC."""

from __future__ import annotations

from datetime import date

import numpy as np

from ronda.prediction.contract import DAY, Bools, Floats, Ints
from ronda.prediction.errors import BadTerms

WORKING_DAY, WEEKEND, HOLIDAY = range(3)
KINDS = 3
DAYS_KNOWN = 200 * 366
# 1970-01-01 was a Thursday.
_FIRST_WEEKDAY = 3


def day_number(at: Floats) -> Ints:
    day: Ints = np.floor(at / DAY).astype(np.int64)
    return day


def is_weekend(day: Ints) -> Bools:
    weekend: Bools = (day + _FIRST_WEEKDAY) % 7 >= 5
    return weekend


def a_year_before(day: Ints) -> Ints:
    """The same date; of 29 February 1 March."""
    dates = day.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    into_month = dates - months.astype("datetime64[D]")
    before: Ints = ((months - 12).astype("datetime64[D]") + into_month).astype(np.int64)
    return before


class Kinds:
    """Working days, weekends, and holidays: dates (2025-04-18) or days of every year (12-25)."""

    def __init__(self, holidays: frozenset[str]) -> None:
        self._kinds = _kinds(holidays)
        days = np.eye(KINDS)[self._kinds]
        # Days of each kind before each day.
        self._before = np.concatenate([np.zeros((1, KINDS)), np.cumsum(days, axis=0)])

    def of(self, day: Ints) -> Ints:
        kinds: Ints = self._kinds[_within(day)]
        return kinds

    def spent(self, since: Floats, until: Floats) -> Floats:
        """Days of each kind between two times, a row each."""
        spent: Floats = self._until(until) - self._until(since)
        return spent

    def _until(self, at: Floats) -> Floats:
        day = _within(day_number(at))
        part = at / DAY - np.floor(at / DAY)
        until: Floats = self._before[day]
        until[np.arange(len(at)), self._kinds[day]] += part
        return until


def _kinds(holidays: frozenset[str]) -> Ints:
    """Of every day from 1970 on."""
    dates = {_date(text) for text in holidays if len(text) > 5}
    yearly = {_day_of_year(text) for text in holidays if len(text) <= 5}
    numbers = np.arange(DAYS_KNOWN)
    kinds = np.where(is_weekend(numbers), WEEKEND, WORKING_DAY)
    first = date(1970, 1, 1).toordinal()
    years = range(1970, 1970 + DAYS_KNOWN // 366)
    dates |= {date(year, month, day) for year in years for month, day in yearly if _is_day(year, month, day)}
    numbers_off = [day.toordinal() - first for day in dates]
    kinds[[number for number in numbers_off if 0 <= number < DAYS_KNOWN]] = HOLIDAY
    return kinds


def _is_day(year: int, month: int, day: int) -> bool:
    return (month, day) != (2, 29) or (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))


def _within(day: Ints) -> Ints:
    return np.clip(day, 0, DAYS_KNOWN - 1)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadTerms(
            f"{text!r} is no holiday.", hint="Write 2025-04-18, or 12-25 for every year."
        ) from None


def _day_of_year(text: str) -> tuple[int, int]:
    day = _date(f"2000-{text}")
    return day.month, day.day
