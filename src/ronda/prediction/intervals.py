"""Predictors that are a rule for the time between two looks at one source, whatever others do."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, HOUR, Bools, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.wording import gettext_noop

BY_RULE = gettext_noop("Every %(hours).0f hours, by its rule.")


class IntervalRule:
    """Holds the last look and the interval of every source; a rule says how a look changes the interval."""

    name = "interval"
    learns_across = False
    shortest_seconds = DAY
    longest_seconds = 30 * DAY

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.last_look: Floats = np.empty(0)
        self.interval: Floats = np.empty(0)

    def begin(self, fleet: Fleet) -> None:
        self.last_look = fleet.began.astype(np.float64)
        self.interval = np.full(fleet.size, self.shortest_seconds)

    def look(self, looks: Looks) -> None:
        self.interval[looks.who] = self.interval_after(looks)
        self.last_look[looks.who] = looks.at

    def interval_after(self, looks: Looks) -> Floats:
        """`last_look` still holds the look before."""
        raise NotImplementedError

    def notice(self, who: Ints, at: Floats) -> None:
        """Most rules know nothing of notices."""

    def wants_notices(self, who: Ints) -> Bools:
        return np.zeros(len(who), dtype=np.bool_)

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        return np.maximum(self.last_look[who] + self.interval[who], now)

    def urgency(self, now: float) -> Floats:
        waited: Floats = (now - self.last_look) / self.interval
        return waited

    def chance(self, who: Ints, at: Floats) -> Floats:
        return np.full(len(who), np.nan)

    def reason(self, who: int, now: float) -> Reason:
        return Reason(BY_RULE, {"hours": float(self.interval[who]) / HOUR})
