"""Cho and Garcia-Molina for looks at regular intervals: L = -ln((n - X + 0.5) / (n + 0.5)) / I.

Where looks are not regular, I is their mean interval.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Fleet, Floats, Looks, Terms
from ronda.prediction.rates import regular_rate
from ronda.prediction.steady import SteadyRule


class ChoRegular(SteadyRule):
    name = "cho_regular"

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.looks: Floats = np.zeros(fleet.size)
        self.changed: Floats = np.zeros(fleet.size)
        self.seconds: Floats = np.zeros(fleet.size)

    def rate_after(self, looks: Looks, waited: Floats) -> Floats:
        who = looks.who
        self.looks[who] += 1
        self.changed[who] += looks.changed
        self.seconds[who] += waited
        return regular_rate(self.looks[who], self.changed[who], self.seconds[who] / self.looks[who])


def make(terms: Terms) -> ChoRegular:
    return ChoRegular(terms)
