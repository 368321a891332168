"""Azar et al.: the division of a budget that is best for freshness, as if visits came at random times."""

from __future__ import annotations

from ronda.prediction.contract import Floats, Ints, Terms
from ronda.prediction.steady import DividingRule
from ronda.prediction.values import azar_rates


class Azar(DividingRule):
    name = "azar"

    def divide(self, who: Ints, budget: float) -> Floats:
        return azar_rates(self.rate[who], self.weight[who], budget)


def make(terms: Terms) -> Azar:
    return Azar(terms)
