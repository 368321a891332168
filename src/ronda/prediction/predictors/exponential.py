"""The wiki document's rule: the time between revisions is exponential; of the newest 20 revisions, or the newest tenth
if that is more, comes the expected wait E = (t1 - t0) / n, and who has been silent for longer is visited.

As printed, although n revisions span n - 1 gaps. A silent source is visited again after another E, not at every look.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, HOUR, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.intervals import IntervalRule
from ronda.prediction.wording import gettext_noop

SMALLEST_SAMPLE = 20
SAMPLE_SHARE = 0.1
EXPECTED = gettext_noop("By the last changes the next is expected within %(hours).1f hours.")


class Exponential(IntervalRule):
    """Before there are two revisions, and where they span no time, it comes once a day."""

    name = "exponential"
    shortest_seconds = HOUR

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.interval = np.full(fleet.size, DAY)
        self.count: Ints = np.zeros(fleet.size, dtype=np.int64)
        self.revised_at: Floats = np.zeros((fleet.size, SMALLEST_SAMPLE))

    def interval_after(self, looks: Looks) -> Floats:
        who = looks.who[looks.changed]
        revised_at = np.where(np.isnan(looks.modified_at), looks.at, looks.modified_at)[looks.changed]
        self._remember(who, revised_at)
        interval = self.interval[looks.who]
        interval[looks.changed] = self._expected(who)
        return interval

    def _remember(self, who: Ints, revised_at: Floats) -> None:
        if int(self.count[who].max(initial=0)) == self.revised_at.shape[1]:
            self.revised_at = np.concatenate([self.revised_at, np.zeros_like(self.revised_at)], axis=1)
        self.revised_at[who, self.count[who]] = revised_at
        self.count[who] += 1

    def _expected(self, who: Ints) -> Floats:
        count = self.count[who]
        sample = np.minimum(np.maximum(SMALLEST_SAMPLE, (count * SAMPLE_SHARE).astype(np.int64)), count)
        span = self.revised_at[who, count - 1] - self.revised_at[who, count - sample]
        expected = np.clip(span / np.maximum(sample, 1), self.shortest_seconds, self.longest_seconds)
        return np.where(span > 0, expected, DAY)

    def chance(self, who: Ints, at: Floats) -> Floats:
        chance: Floats = -np.expm1(-np.maximum(at - self.last_look[who], 0.0) / self.interval[who])
        return chance

    def reason(self, who: int, now: float) -> Reason:
        return Reason(EXPECTED, {"hours": float(self.interval[who]) / HOUR})


def make(terms: Terms) -> Exponential:
    return Exponential(terms)
