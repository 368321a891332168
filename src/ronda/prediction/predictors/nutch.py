"""Apache Nutch's adaptive rule: a fifth shorter after a change, a fifth longer without one."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, HOUR, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.intervals import IntervalRule
from ronda.prediction.wording import gettext_noop

SHORTER = 0.8
LONGER = 1.2
SHORTEST_SECONDS = 60.0
# How far the next visit is drawn back towards the time of the change that the source itself names.
SYNC_SHARE = 0.2
BY_FIFTHS = gettext_noop(
    "A fifth sooner after a change, a fifth later without one: now every %(hours).1f hours."
)


class Nutch(IntervalRule):
    name = "nutch"
    longest_seconds = 365 * DAY

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.drawn_back: Floats = np.zeros(fleet.size)

    def interval_after(self, looks: Looks) -> Floats:
        interval = self.interval[looks.who] * np.where(looks.changed, SHORTER, LONGER)
        age = np.where(np.isnan(looks.modified_at), 0.0, looks.at - looks.modified_at)
        # A page that says it has been the same for longer than the interval is given that time.
        interval = np.clip(np.maximum(interval, age), SHORTEST_SECONDS, self.longest_seconds)
        self.drawn_back[looks.who] = np.minimum(SYNC_SHARE * age, interval - SHORTEST_SECONDS)
        return interval

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        return np.maximum(self.last_look[who] + self.interval[who] - self.drawn_back[who], now)

    def urgency(self, now: float) -> Floats:
        waited: Floats = (now - self.last_look) / (self.interval - self.drawn_back)
        return waited

    def reason(self, who: int, now: float) -> Reason:
        return Reason(BY_FIFTHS, {"hours": float(self.interval[who]) / HOUR})


def make(terms: Terms) -> Nutch:
    return Nutch(terms)
