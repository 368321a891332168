"""Cho and Garcia-Molina for sources that say when they last changed; where one does not, half of the wait stands in."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Fleet, Floats, Looks, Terms
from ronda.prediction.rates import modified_rate
from ronda.prediction.steady import SteadyRule


class ChoModified(SteadyRule):
    name = "cho_modified"

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.looks: Floats = np.zeros(fleet.size)
        self.changed: Floats = np.zeros(fleet.size)
        self.calm_seconds: Floats = np.zeros(fleet.size)

    def rate_after(self, looks: Looks, waited: Floats) -> Floats:
        who = looks.who
        age = np.where(np.isnan(looks.modified_at), waited / 2, looks.at - looks.modified_at)
        # A change that is older than the look before was not this one: clocks differ, headers lie.
        is_new = looks.changed & (age >= 0) & (age <= waited)
        self.looks[who] += 1
        self.changed[who] += looks.changed
        self.calm_seconds[who] += np.where(is_new, age, waited)
        return modified_rate(self.looks[who], self.changed[who], self.calm_seconds[who])


def make(terms: Terms) -> ChoModified:
    return ChoModified(terms)
