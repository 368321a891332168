"""When in the week a source changes: its days of the week and hours of the day, leant on its site's and everybody's.

A source has a clock of its own that runs fast while it is busy and slow while it is quiet, so that by its own clock it
changes at any time alike. All in UTC; seven days, each 1 on average, times 24 hours, each 1 on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ronda.prediction.contract import DAY, HOUR, Bools, Floats, Ints
from ronda.prediction.learning.habit import Habit
from ronda.prediction.learning.trust import Trust

DAYS, HOURS = 7, 24
FIRST_MONDAY = 4 * DAY
# As many changes as the site's rhythm (or everybody's) weighs against a source's own (or a site's).
OWN_WEIGHT = 36.0
SITE_WEIGHT = 24.0
# Habits change: what a source did longer ago than about this many changes fades.
CHANGES_REMEMBERED = 120.0
# Hours are much like those before and after them.
ALIKE_HOURS = 10.0
# So many changes of one page weigh half as much as others' for everybody.
SHARED_CHANGES = 12.0
# All looks speak for or against there being a rhythm at all: one evening's must not talk everybody out of it.
MOST_EVIDENCE = 40.0
# How long a day's quiet is looked for.
QUIET_HOURS = 8
# Nothing is ever ruled out.
SLOWEST = 0.03
# For versions it is the end of the day's work that is waited for, and not at any price.
HASTE_SECONDS = 4 * HOUR
MOST_HASTE = 2.0
# How many days ahead it is looked at how the clocks go on; after a week they do as before.
AHEAD_DAYS: Floats = np.array([0, 1 / 12, 1 / 6, 1 / 3, 2 / 3, 1, 1.5, 2, 3, 4, 5, 6, 7])

Table = NDArray[np.float32]


class Rhythm:
    """Credits: how many changes fell on each day and hour, by best guess, of every source and site; and the habits of
    all together."""

    def __init__(self, related: Ints) -> None:
        size, sites = len(related), int(related.max(initial=-1)) + 1
        self.related = related
        self.own: Table = np.zeros((size, DAYS + HOURS), dtype=np.float32)
        self.of_site: Table = np.zeros((sites, DAYS + HOURS), dtype=np.float32)
        self.trust = Trust(MOST_EVIDENCE)
        self.of_all = (Habit(DAYS), Habit(HOURS, ALIKE_HOURS))
        # How far the clock has come by the end of each day, and in a day by the end of each hour: a row each.
        self.day_ends: Table = np.tile(np.arange(DAYS + 1, dtype=np.float32)[:, None], size)
        self.hour_ends: Table = np.tile(np.arange(HOURS + 1, dtype=np.float32)[:, None] / HOURS, size)

    def clock(self, at: Floats | float, who: Ints | slice = slice(None)) -> Floats:
        """Days by their own clocks, one time each or one for all; a week has seven by any."""
        week, day, hour, part = _place(at)
        before, after = self.hour_ends[hour, who], self.hour_ends[hour + 1, who]
        since_monday = self.day_ends[day, who]
        pace = self.day_ends[day + 1, who] - since_monday
        share = before + part * (after - before)
        clock: Floats = week * DAYS + since_monday.astype(np.float64) + pace * share
        return clock

    def believed(self, elapsed: Floats, by_clock: Floats) -> Floats:
        """Days by their clocks as far as there is a rhythm, else by everybody's."""
        return np.maximum(elapsed + self.trust.share * (by_clock - elapsed), 0.0)

    def quiet(self, who: Ints) -> tuple[Floats, Floats]:
        """How busy the quietest hours of the day are (1 on average), and at what second of the day they begin."""
        hours = np.diff(self.hour_ends[:, who], axis=0)
        around = np.concatenate([hours, hours[: QUIET_HOURS - 1]])
        sums = np.add.reduce([around[n : n + HOURS] for n in range(QUIET_HOURS)])
        first = sums.argmin(axis=0)
        paces = 1 + self.trust.share * (sums[first, np.arange(len(who))] * (HOURS / QUIET_HOURS) - 1)
        return paces.astype(np.float64), first.astype(np.float64) * HOUR

    def haste(self, now: float, clock: Floats) -> Floats:
        """How busy the hours ahead are, within twice the usual (`clock`: theirs now): who waits for their end sees what
        they bring."""
        ahead = (self.clock(now + HASTE_SECONDS) - clock) * (DAY / HASTE_SECONDS)
        return np.clip(1 + self.trust.share * (ahead - 1), 1 / MOST_HASTE, MOST_HASTE)

    def calm(self, now: float, rates: Floats, visits_per_day: float) -> Floats:
        """How long who is looked at now stays up to date, against a look at any time; `rates`: changes a day by their
        clocks. What changes rarely does so whenever it is looked at, what changes often as long as its quiet lasts."""
        week, day, hour, part = (column[:, None] for column in _place(now + AHEAD_DAYS * DAY))
        day, hour = day[:, 0], hour[:, 0]
        share = self.hour_ends[hour] + part * (self.hour_ends[hour + 1] - self.hour_ends[hour])
        clocks = (week - week[0]) * DAYS + self.day_ends[day]
        clocks += (self.day_ends[day + 1] - self.day_ends[day]) * share
        # Besides a change the next visit ends what this one brought.
        ahead = AHEAD_DAYS[:, None]
        passed = rates * self.believed(ahead, clocks - clocks[0]) + visits_per_day * ahead
        fresh = np.exp(-passed)
        lasting = np.diff(AHEAD_DAYS) @ ((fresh[:-1] - fresh[1:]) / np.maximum(np.diff(passed, axis=0), 1e-9))
        usual = rates + visits_per_day
        calm: Floats = usual * lasting / -np.expm1(-usual * AHEAD_DAYS[-1])
        return calm

    def learn(self, who: Ints, begin: Floats, end: Floats) -> None:
        """These changed between `begin` and `end`."""
        credit = self._credit(begin, end)
        shared = credit * self._modesty(who)[:, None]
        self.own[who] = self.own[who] * (1 - 1 / CHANGES_REMEMBERED) + credit
        np.add.at(self.of_site, self.related[who], shared.astype(np.float32))

    def share(self, who: Ints, begin: Floats, end: Floats, expected: Floats, changed: Bools) -> None:
        """Everybody's habits, from what looks at these found between `begin` and `end`, and how much was expected."""
        weight = self._modesty(who)
        for habit, width in zip(self.of_all, (DAY, HOUR), strict=True):
            habit.learn(_overlap(begin, end, width, len(habit.log_paces)), expected, changed, weight)

    def _modesty(self, who: Ints) -> Floats:
        """The many changes of one busy page are not the habit of all."""
        modesty: Floats = SHARED_CHANGES / (
            SHARED_CHANGES + self.own[who, :DAYS].sum(axis=1, dtype=np.float64)
        )
        return modesty

    def _credit(self, begin: Floats, end: Floats) -> Floats:
        """One change each, divided over the days and hours in between as everybody's rhythm has it. Not as its own: a
        guess that leans on itself ends up certain of one hour. However long the time between: only all of it together
        covers the week evenly."""
        credit = np.concatenate([_overlap(begin, end, DAY, DAYS), _overlap(begin, end, HOUR, HOURS)], axis=1)
        credit *= self.everybody()
        credit[:, :DAYS] /= credit[:, :DAYS].sum(axis=1, keepdims=True)
        credit[:, DAYS:] /= credit[:, DAYS:].sum(axis=1, keepdims=True)
        return credit

    def settle(self, who: Ints) -> None:
        """Sets the clocks of these by what is known now."""
        sites = _leant(self.of_site[self.related[who]], self.everybody(), SITE_WEIGHT)
        pace = np.maximum(_leant(self.own[who], sites, OWN_WEIGHT), SLOWEST)
        days, hours = pace[:, :DAYS], pace[:, DAYS:]
        self.day_ends[1:, who] = np.cumsum(days / days.mean(axis=1, keepdims=True), axis=1).T
        self.hour_ends[1:, who] = (np.cumsum(hours, axis=1) / hours.sum(axis=1, keepdims=True)).T

    def everybody(self) -> Floats:
        return np.concatenate([habit.paces for habit in self.of_all])

    def paces(self, who: int) -> tuple[Floats, Floats]:
        """How busy each day of the week and each hour of the day is; 1 on average."""
        days = np.diff(self.day_ends[:, who]).astype(np.float64)
        hours = np.diff(self.hour_ends[:, who]).astype(np.float64)
        return days, hours * HOURS


def _place(at: Floats | float) -> tuple[Floats, Ints, Ints, Floats]:
    """In which week, on which day of it and in which hour of that a time is, and how much of the hour is over."""
    week, hours = np.divmod((np.asarray(at, dtype=np.float64) - FIRST_MONDAY) / HOUR, DAYS * HOURS)
    day, hours = np.divmod(hours, HOURS)
    hour = np.minimum(hours.astype(np.int64), HOURS - 1)
    return week, np.minimum(day.astype(np.int64), DAYS - 1), hour, hours - hour


def _leant(credit: NDArray[np.floating], on: Floats, weight: float) -> Floats:
    """Paces by these credits, leant on others' paces as if they were `weight` changes."""
    leant = np.empty(np.broadcast_shapes(credit.shape, on.shape))
    for part, size in ((slice(0, DAYS), DAYS), (slice(DAYS, None), HOURS)):
        total = credit[..., part].sum(axis=-1, keepdims=True)
        leant[..., part] = (credit[..., part] * size + weight * on[..., part]) / (total + weight)
    return leant


def _overlap(begin: Floats, end: Floats, width: float, parts: int) -> Floats:
    """Seconds between `begin` and `end` in each of the parts, this wide, of which a period is made."""
    passed = _passed(np.maximum(end, begin + 1.0), width, parts) - _passed(begin, width, parts)
    return np.maximum(passed, 0.0)


def _passed(at: Floats, width: float, parts: int) -> Floats:
    periods, rest = np.divmod(at - FIRST_MONDAY, width * parts)
    within = np.clip(rest[:, None] - width * np.arange(parts), 0.0, width)
    passed: Floats = periods[:, None] * width + within
    return passed
