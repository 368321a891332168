"""What a visit must be worth to be made now: under a budget one made now is one less later.

The price is what the least of the visits made of late was worth. It falls while visits pile up and rises while there
are none left, so that over a week as many are made as may be, at the times that are worth most.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Floats

# How many days' worth of visits pile up at most, and which part of them is best kept at hand: of a week a day and a
# half (a weekend's come and a working week's go).
MOST_DAYS = 7.0
LEAST_DAYS = 1.0
AT_HAND_SHARE = 1.5 / 7
# How many days' visits the price is learnt from, and after how many it is believed.
LEARNT_DAYS = 28.0
TRUSTED_DAYS = 3.0


class Saving:
    """Visits that may be made by now and were not, and the price of one. Without a budget nothing is dear.

    `most_days`: how many days' visits pile up at most, by the objective."""

    def __init__(self, visits_per_day: float | None, began: Floats, most_days: float = MOST_DAYS) -> None:
        self.most_days = most_days
        self.at_hand_days = most_days * AT_HAND_SHARE
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
        self.saved = min(
            self.saved + self.income * (now - self.at) / DAY, max(1.0, self.most_days * self.income)
        )
        self.at = now

    def price(self) -> float:
        """Nothing once no more can be saved, and little before it is known: at first everything is worth much."""
        if not self.income:
            return 0.0
        room = max(self.most_days - self.saved / self.income, 0.0) / (self.most_days - self.at_hand_days)
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


def most_days(visits_per_day: float, objective: float) -> float:
    """What is stale gets staler while a better hour is waited for: for freshness, where visits are days apart, at most
    half of the time from one to the next."""
    if visits_per_day >= 1:
        return MOST_DAYS
    half_a_wait = float(np.clip(0.5 / visits_per_day, LEAST_DAYS, MOST_DAYS))
    return objective * MOST_DAYS + (1 - objective) * half_a_wait
