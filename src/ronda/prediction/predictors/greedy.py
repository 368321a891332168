"""Greedy value: always to where a look adds most to freshness; what changes faster than it can be held is given up."""

from __future__ import annotations

from ronda.prediction.contract import HOUR, Floats, Ints, Terms
from ronda.prediction.steady import ForgettingRule
from ronda.prediction.values import wait_for_value

# Without a budget a look is worth its cost once it adds six hours of being up to date.
PRICE_SECONDS = 6 * HOUR


class Greedy(ForgettingRule):
    name = "greedy"

    def wait(self, who: Ints) -> Floats:
        return wait_for_value(self.rate[who], self.weight[who], PRICE_SECONDS)


def make(terms: Terms) -> Greedy:
    return Greedy(terms)
