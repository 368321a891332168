"""Working days, weekends and holidays apart: each kind of day has its own chance of a change; the next visit is when
one has become as likely as none.

The archive document names the idea and gives no formula; this one is ours. A change seen after several days is put down
to each of them in the proportion of what is known of their kinds.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.calendar import KINDS, Kinds
from ronda.prediction.contract import DAY, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.intervals import IntervalRule
from ronda.prediction.wording import gettext_noop

# Before anything is known: two days, one of them with a change.
FIRST_CHANGES, FIRST_DAYS = 1.0, 2.0
LONGEST_DAYS = 30
ENOUGH = 0.5
ALMOST_SURE = 1 - 1e-9
BY_KIND = gettext_noop(
    "Changes on %(working).0f %% of working days, %(weekend).0f %% of weekend days, %(holiday).0f %% of holidays."
)


class DayType(IntervalRule):
    name = "daytype"
    longest_seconds = LONGEST_DAYS * DAY

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self.kinds = Kinds(terms.holidays)

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.changes: Floats = np.full((fleet.size, KINDS), FIRST_CHANGES)
        self.days: Floats = np.full((fleet.size, KINDS), FIRST_DAYS)

    @property
    def shares(self) -> Floats:
        shares: Floats = self.changes / self.days
        return shares

    def interval_after(self, looks: Looks) -> Floats:
        who = looks.who
        spent = self.kinds.spent(self.last_look[who], looks.at)
        expected = spent * (self.changes[who] / self.days[who])
        total = np.maximum(expected.sum(axis=1, keepdims=True), 1e-9)
        # At most one change a day is told apart, and at most one a look is seen.
        self.changes[who] += np.where(looks.changed[:, None], expected / total, 0.0) * np.minimum(
            spent.sum(axis=1, keepdims=True), 1.0
        )
        self.days[who] += spent
        return self.interval[who]

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        return np.maximum(self.last_look[who] + self._wait(who), now)

    def _wait(self, who: Ints) -> Floats:
        """Whole days until a change is as likely as none."""
        waits = np.arange(1, LONGEST_DAYS + 1)
        at = (self.last_look[who][:, None] + waits * DAY).ravel()
        is_enough = self.chance(np.repeat(who, LONGEST_DAYS), at).reshape(-1, LONGEST_DAYS) >= ENOUGH
        days = np.where(is_enough.any(axis=1), is_enough.argmax(axis=1) + 1, LONGEST_DAYS)
        wait: Floats = days * DAY
        return wait

    def chance(self, who: Ints, at: Floats) -> Floats:
        shares = np.minimum(self.changes[who] / self.days[who], ALMOST_SURE)
        spent = self.kinds.spent(self.last_look[who], np.maximum(at, self.last_look[who]))
        chance: Floats = -np.expm1((spent * np.log1p(-shares)).sum(axis=1))
        return chance

    def urgency(self, now: float) -> Floats:
        return self.chance(np.arange(len(self.last_look)), np.full(len(self.last_look), now))

    def reason(self, who: int, now: float) -> Reason:
        working, weekend, holiday = (100 * float(share) for share in self.shares[who])
        return Reason(BY_KIND, {"working": working, "weekend": weekend, "holiday": holiday})


def make(terms: Terms) -> DayType:
    return DayType(terms)
