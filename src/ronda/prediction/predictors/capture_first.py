"""Capture first: always to where a change is likeliest. More versions a visit, at some cost in freshness and delay."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Floats, Ints, Terms
from ronda.prediction.steady import ForgettingRule
from ronda.prediction.values import chance_of_change


class CaptureFirst(ForgettingRule):
    name = "capture_first"

    def wait(self, who: Ints) -> Floats:
        """Until a change is as likely as none."""
        wait: Floats = np.log(2) / self.rate[who]
        return wait

    def urgency(self, now: float) -> Floats:
        return self.weight * chance_of_change(self.rate, now - self.last_look)


def make(terms: Terms) -> CaptureFirst:
    return CaptureFirst(terms)
