"""`simple`, set back to 24 hours by a notice; it asks for notices only where it waits more than half its longest."""

from __future__ import annotations

from ronda.prediction.contract import Bools, Floats, Ints, Terms
from ronda.prediction.predictors.simple import Simple


class SimpleNotified(Simple):
    name = "simple_notified"

    def notice(self, who: Ints, at: Floats) -> None:
        self.interval[who] = self.shortest_seconds

    def wants_notices(self, who: Ints) -> Bools:
        # Being told costs whoever tells; where looks are frequent anyway there is little to win.
        wanted: Bools = self.interval[who] > self.longest_seconds / 2
        return wanted


def make(terms: Terms) -> SimpleNotified:
    return SimpleNotified(terms)
