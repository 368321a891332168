"""Cho and Garcia-Molina for looks at any intervals: the rate that makes what was seen likeliest."""

from __future__ import annotations

from ronda.prediction.contract import Fleet, Floats, Looks, Terms
from ronda.prediction.rates import Waits, likeliest_rate
from ronda.prediction.steady import SteadyRule


class ChoIrregular(SteadyRule):
    name = "cho_irregular"

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.waits = Waits(fleet.size)

    def rate_after(self, looks: Looks, waited: Floats) -> Floats:
        self.waits.learn(looks.who, waited, looks.changed)
        return likeliest_rate(*self.waits.of(looks.who))


def make(terms: Terms) -> ChoIrregular:
    return ChoIrregular(terms)
