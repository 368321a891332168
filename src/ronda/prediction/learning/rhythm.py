"""When in the week a source changes: its days of the week and hours of the day, leant on its site's and everybody's.

A source has a clock of its own that runs fast while it is busy and slow while it is quiet, so that by its own clock it
changes at any time alike. All in UTC; seven days, each 1 on average, times 24 hours, each 1 on average.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ronda.prediction.contract import DAY, HOUR, Bools, Floats, Ints
from ronda.prediction.learning.habit import Habit

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
# How long a day's quiet is looked for.
QUIET_HOURS = 8
# Nothing is ever ruled out.
SLOWEST = 0.03

Table = NDArray[np.float32]


class Rhythm:
    """Credits: how many changes fell on each day and hour, by best guess, of every source and site; and the habits of
    all together."""

    def __init__(self, related: Ints) -> None:
        size, sites = len(related), int(related.max(initial=-1)) + 1
        self.related = related
        self.own: Table = np.zeros((size, DAYS + HOURS), dtype=np.float32)
        self.of_site: Table = np.zeros((sites, DAYS + HOURS), dtype=np.float32)
        self.of_all = (Habit(DAYS), Habit(HOURS, ALIKE_HOURS))
        # How far the clock has come by the end of each day, and in a day by the end of each hour: a row each.
        self.day_ends: Table = np.tile(np.arange(DAYS + 1, dtype=np.float32)[:, None], size)
        self.hour_ends: Table = np.tile(np.arange(HOURS + 1, dtype=np.float32)[:, None] / HOURS, size)

    def clock(self, at: Floats | float, who: Ints | slice = slice(None)) -> Floats:
        """Days by their own clocks; a week has seven by any."""
        hours = (np.asarray(at, dtype=np.float64) - FIRST_MONDAY) / HOUR
        week, hours = np.divmod(hours, DAYS * HOURS)
        day, hours = np.divmod(hours, HOURS)
        hour = np.minimum(hours.astype(np.int64), HOURS - 1)
        day_number = np.minimum(day.astype(np.int64), DAYS - 1)
        before, after = self.hour_ends[hour, who], self.hour_ends[hour + 1, who]
        share = before + (hours - hour) * (after - before)
        since_monday = self.day_ends[day_number, who]
        pace = self.day_ends[day_number + 1, who] - since_monday
        clock: Floats = week * DAYS + since_monday.astype(np.float64) + pace * share
        return clock

    def quiet(self, who: Ints) -> tuple[Floats, Floats]:
        """How busy the quietest hours of the day are (1 on average), and at what second of the day they begin."""
        hours = np.diff(self.hour_ends[:, who], axis=0)
        around = np.concatenate([hours, hours[: QUIET_HOURS - 1]])
        sums = np.add.reduce([around[n : n + HOURS] for n in range(QUIET_HOURS)])
        first = sums.argmin(axis=0)
        paces = sums[first, np.arange(len(who))] * (HOURS / QUIET_HOURS)
        return paces.astype(np.float64), first.astype(np.float64) * HOUR

    def haste(self, now: float, clock: Floats, seconds: float, most: float) -> Floats:
        """How busy the time ahead is, within `most` times the usual (`clock`: theirs now): who waits for its end sees
        what it brings, and who comes when it is over stays up to date."""
        ahead = (self.clock(now + seconds) - clock) * (DAY / seconds)
        return np.clip(ahead, 1 / most, most)

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
