"""LambdaCrawl: the division of a budget with the least harmonic staleness, which forgets nobody.

Sources whose changes are told of reliably are not visited by the clock: each notice is followed, or as many of
them as the budget allows.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Bools, Fleet, Floats, Ints, Looks, Terms
from ronda.prediction.steady import DividingRule
from ronda.prediction.values import follow_chances, lambda_rates, share_for_tellers

# A source's notices are relied on when so many changes were seen, and so many of them had been told of.
FEWEST_CHANGES = 5
TOLD_SHARE = 0.9
# Above any wait.
CALLED = 1e9


class LambdaCrawl(DividingRule):
    name = "lambdacrawl"

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.is_told: Bools = np.zeros(fleet.size, dtype=np.bool_)
        self.is_called: Bools = np.zeros(fleet.size, dtype=np.bool_)
        self.changes: Floats = np.zeros(fleet.size)
        self.told_changes: Floats = np.zeros(fleet.size)
        self.follow: Floats = np.zeros(fleet.size)
        # Chances add up until they make a visit: as many as by lot, without one.
        self.credit: Floats = np.zeros(fleet.size)

    def look(self, looks: Looks) -> None:
        self.changes[looks.who] += looks.changed
        self.told_changes[looks.who] += looks.changed & self.is_told[looks.who]
        self.is_told[looks.who] = self.is_called[looks.who] = False
        super().look(looks)

    def notice(self, who: Ints, at: Floats) -> None:
        self.is_told[who] = True
        self.credit[who] += self.follow[who]
        called = who[self.credit[who] >= 1]
        self.credit[called] -= 1
        self.is_called[called] = True

    def wants_notices(self, who: Ints) -> Bools:
        return np.ones(len(who), dtype=np.bool_)

    def divide(self, who: Ints, budget: float) -> Floats:
        rate, weight = self.rate[who], self.weight[who]
        tells = (self.changes[who] >= FEWEST_CHANGES) & (
            self.told_changes[who] >= TOLD_SHARE * self.changes[who]
        )
        reserved = share_for_tellers(rate, weight, tells, budget)
        visits = np.zeros(len(who))
        visits[~tells] = lambda_rates(rate[~tells], weight[~tells], budget - reserved)
        self.follow[who] = 0.0
        self.follow[who[tells]] = follow_chances(rate[tells], weight[tells], reserved)
        return visits

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        return np.where(self.is_called[who], now, super().next_visit(who, now))

    def urgency(self, now: float) -> Floats:
        urgency: Floats = super().urgency(now) + CALLED * self.is_called
        return urgency


def make(terms: Terms) -> LambdaCrawl:
    return LambdaCrawl(terms)
