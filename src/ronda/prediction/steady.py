"""Predictors that think a source changes at a constant rate, however they learn it and whatever they make of it."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, HOUR, Bools, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.rates import HIGHEST_RATE, LOWEST_RATE, Forgetting
from ronda.prediction.values import chance_of_change, greedy_value
from ronda.prediction.wording import gettext_noop

SHORTEST_SECONDS = HOUR
LONGEST_SECONDS = 30 * DAY
# Before anything is known a source is thought to change once a day.
FIRST_RATE = 1 / DAY
BY_RATE = gettext_noop("Changes about every %(days).1f days: %(percent).0f %% likely by then.")


class SteadyRule:
    """Holds the last look, the weight and the rate of every source; a predictor says how a look changes the rate."""

    name = "steady"
    learns_across = False

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.last_look: Floats = np.empty(0)
        self.weight: Floats = np.empty(0)
        self.rate: Floats = np.empty(0)

    def begin(self, fleet: Fleet) -> None:
        self.last_look = fleet.began.astype(np.float64)
        self.weight = fleet.weight.astype(np.float64)
        self.rate = np.full(fleet.size, FIRST_RATE)

    def look(self, looks: Looks) -> None:
        rate = self.rate_after(looks, np.maximum(looks.at - self.last_look[looks.who], 1.0))
        self.rate[looks.who] = np.clip(rate, LOWEST_RATE, HIGHEST_RATE)
        self.last_look[looks.who] = looks.at

    def rate_after(self, looks: Looks, waited: Floats) -> Floats:
        """Changes a second of the sources looked at, `waited` seconds after the look before."""
        raise NotImplementedError

    def notice(self, who: Ints, at: Floats) -> None:
        """A rate learns nothing from notices."""

    def wants_notices(self, who: Ints) -> Bools:
        return np.zeros(len(who), dtype=np.bool_)

    def wait(self, who: Ints) -> Floats:
        """Seconds between two visits, left alone: the mean time between two changes."""
        wait: Floats = 1 / self.rate[who]
        return wait

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        wait = np.clip(self.wait(who), SHORTEST_SECONDS, LONGEST_SECONDS)
        return np.maximum(self.last_look[who] + wait, now)

    def urgency(self, now: float) -> Floats:
        """As Cho and Garcia-Molina divide a budget for freshness."""
        return greedy_value(self.rate, now - self.last_look, self.weight)

    def chance(self, who: Ints, at: Floats) -> Floats:
        return chance_of_change(self.rate[who], at - self.last_look[who])

    def reason(self, who: int, now: float) -> Reason:
        number = np.array([who])
        then = self.next_visit(number, now)
        percent = 100 * float(self.chance(number, then)[0])
        return Reason(BY_RATE, {"days": float(1 / self.rate[who] / DAY), "percent": percent})


class ForgettingRule(SteadyRule):
    """The rate is a belief that is updated look by look and fades."""

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.belief = Forgetting(fleet.size)
        self.rate = self.belief.rate

    def rate_after(self, looks: Looks, waited: Floats) -> Floats:
        self.belief.learn(looks.who, waited, looks.changed.astype(np.float64))
        rate: Floats = self.belief.changes[looks.who] / self.belief.seconds[looks.who]
        return rate


class DividingRule(ForgettingRule):
    """A budget is divided over all sources by their rates, anew every day."""

    learns_across = True
    # Without a budget it is divided as if there were this one.
    default_visits_per_day = 1.0

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.began = fleet.began
        self.visits: Floats = np.empty(0)
        self.divided_at = -np.inf

    def divide(self, who: Ints, budget: float) -> Floats:
        """Visits a second of each of these sources, of `budget` visits a second for all."""
        raise NotImplementedError

    def _divided(self, now: float) -> Floats:
        if now >= self.divided_at + DAY:
            per_day = self.terms.visits_per_day or self.default_visits_per_day
            begun = np.flatnonzero(self.began <= now)
            self.visits = np.full(len(self.rate), per_day / DAY)
            if begun.size:
                self.visits[begun] = self.divide(begun, per_day / DAY * len(begun))
            self.divided_at = now
        return self.visits

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        visits = np.maximum(self._divided(float(np.max(now)))[who], 1 / LONGEST_SECONDS)
        return np.maximum(self.last_look[who] + np.maximum(1 / visits, SHORTEST_SECONDS), now)

    def urgency(self, now: float) -> Floats:
        visits = self._divided(now)
        # Those that get nothing take turns in what nobody else needs.
        urgency: Floats = (now - self.last_look) * np.maximum(visits, 1e-6 / DAY)
        return urgency
