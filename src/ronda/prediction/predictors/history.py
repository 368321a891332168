"""Simple with history, as the archive document recommends it: how many of the last N days of last year's calendar had a
change sets the interval, from 144 hours (none) to 24 hours (all), in steps of a day.

Our reading where the document has only a figure: the steps are even. Until there is a year to look back on, the N days
before now stand in.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.calendar import a_year_before, day_number
from ronda.prediction.contract import DAY, HOUR, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.intervals import IntervalRule
from ronda.prediction.wording import gettext_noop

TOP_DAYS = 30
LONGEST_DAYS = 6
# A leap year and the N days before it.
REMEMBERED_DAYS = 366 + TOP_DAYS + 1

BY_SHARE = gettext_noop(
    "It changed on %(percent).0f %% of the days looked back on: again after %(hours).0f hours."
)


class History(IntervalRule):
    name = "history"
    longest_seconds = LONGEST_DAYS * DAY

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.first_day = day_number(fleet.began)
        self.last_day = self.first_day.copy()
        # A ring of days: whether a change was seen on each.
        self.has_change = np.zeros((fleet.size, REMEMBERED_DAYS), dtype=np.bool_)
        self.share: Floats = np.zeros(fleet.size)

    def interval_after(self, looks: Looks) -> Floats:
        self._remember(looks)
        share = self._share(looks.who, day_number(looks.at))
        self.share[looks.who] = share
        days = np.round(LONGEST_DAYS - (LONGEST_DAYS - 1) * share)
        interval: Floats = days * DAY
        return interval

    def _remember(self, looks: Looks) -> None:
        day = day_number(looks.at)
        self._forget(looks.who, day)
        seen_day = day_number(np.where(np.isnan(looks.modified_at), looks.at, looks.modified_at))
        # A day the source names may lie before all we remember.
        seen_day = np.clip(seen_day, np.maximum(self.first_day[looks.who], day - REMEMBERED_DAYS + 1), day)
        who = looks.who[looks.changed]
        self.has_change[who, seen_day[looks.changed] % REMEMBERED_DAYS] = True

    def _forget(self, who: Ints, day: Ints) -> None:
        """Days passed since the look before are without a change until one is seen."""
        passed = np.minimum(day - self.last_day[who], REMEMBERED_DAYS)
        for ahead in range(1, int(passed.max(initial=0)) + 1):
            is_passed = passed >= ahead
            self.has_change[who[is_passed], (day[is_passed] - ahead + 1) % REMEMBERED_DAYS] = False
        self.last_day[who] = day

    def _share(self, who: Ints, day: Ints) -> Floats:
        year_ago = a_year_before(day)
        has_year = year_ago - TOP_DAYS + 1 >= self.first_day[who]
        last = np.where(has_year, year_ago, day)
        days = last[:, None] - np.arange(TOP_DAYS)
        share: Floats = self.has_change[who[:, None], days % REMEMBERED_DAYS].mean(axis=1)
        return share

    def chance(self, who: Ints, at: Floats) -> Floats:
        days = np.maximum(at - self.last_look[who], 0.0) / DAY
        chance: Floats = 1 - (1 - self.share[who]) ** days
        return chance

    def reason(self, who: int, now: float) -> Reason:
        percent, hours = 100 * float(self.share[who]), float(self.interval[who]) / HOUR
        return Reason(BY_SHARE, {"percent": percent, "hours": hours})


def make(terms: Terms) -> History:
    return History(terms)
