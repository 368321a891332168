"""What a visit must be worth to be made now: under a budget one made now is one less later.

The price is what the least of the visits made of late was worth. It falls while visits pile up and rises while there
are none left, so that over a week as many are made as may be, at the times that are worth most.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Floats

# In days' worth of visits: how many are best kept at hand (a weekend's come and a working week's go), and how many pile
# up at most.
AT_HAND_DAYS = 1.5
MOST_DAYS = 7.0
# How many days' visits the price is learnt from, and after how many it is believed.
LEARNT_DAYS = 28.0
TRUSTED_DAYS = 3.0


class Saving:
    """Visits that may be made by now and were not, and the price of one. Without a budget nothing is dear."""

    def __init__(self, visits_per_day: float | None, began: Floats) -> None:
        self.per_day = visits_per_day
        self.began = np.sort(began)
        self.at = float(self.began[0]) if len(began) else 0.0
        self.saved = 0.0
        self.income = 0.0
        self.log_price = -np.inf
        self.learnt = 0.0

    def accrue(self, now: float) -> None:
        """Counts what has come in since it was last asked."""
        if self.per_day is None or now <= self.at:
            return
        self.income = self.per_day * int(np.searchsorted(self.began, now))
        self.saved = min(self.saved + self.income * (now - self.at) / DAY, max(1.0, MOST_DAYS * self.income))
        self.at = now

    def price(self) -> float:
        """Nothing once no more can be saved, and little before it is known: at first everything is worth much."""
        if not self.income:
            return 0.0
        room = max(MOST_DAYS - self.saved / self.income, 0.0) / (MOST_DAYS - AT_HAND_DAYS)
        trust = min(self.learnt / (TRUSTED_DAYS * self.income), 1.0)
        return float(np.exp(self.log_price)) * room * trust

    def spend(self, worth: Floats) -> None:
        """Visits were made that were worth this each."""
        if not self.income or not len(worth):
            return
        self.saved = max(self.saved - len(worth), 0.0)
        least = float(np.log(max(worth.min(), 1e-12)))
        # At first it is the mean of what there was, the later the more, so that it is soon known.
        self.learnt = min(self.learnt + len(worth), LEARNT_DAYS * self.income)
        share = min(2 * len(worth) / self.learnt, 1.0)
        self.log_price = (
            least if np.isinf(self.log_price) else self.log_price + share * (least - self.log_price)
        )
