"""How often something changes, from looks that see at least one change or none. Rates are per second.

The letters are those of the literature: a look after t seconds, x whether it found a change, L the rate.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Bools, Floats, Ints

# Nothing changes faster than this as far as a look can tell, nor slower as far as a history can.
LOWEST_RATE = 0.0005 / DAY
HIGHEST_RATE = 96 / DAY
PSEUDO_WAIT = DAY / 2
BISECTIONS = 16
# Beyond it one more makes no difference, and no float can hold it.
MOST_EXPECTED = 700.0


def regular_rate(looks: Floats, changed: Floats, interval: Floats) -> Floats:
    """Cho and Garcia-Molina, looks at one interval: finite also where every look found a change."""
    rate: Floats = -np.log((looks - changed + 0.5) / (looks + 0.5)) / interval
    return rate


def modified_rate(looks: Floats, changed: Floats, calm_seconds: Floats) -> Floats:
    """Cho and Garcia-Molina, last change known: `calm_seconds` is what was seen to be without one, ages included."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = changed / looks
        corrected = np.where(share < 1, (changed - 1) - changed / (looks * np.log1p(-share)), changed - 1)
        corrected = np.where(changed > 0, corrected, 0.0)
        # A source that always changed and always just before the look has no calm at all.
        rate: Floats = np.where(calm_seconds > 0, corrected / calm_seconds, HIGHEST_RATE)
    return rate


class Forgetting:
    """A Gamma belief in the rate of each source, updated look by look, that forgets by half in `half_life` (E-M: a look
    that found a change counts as many as are expected behind one)."""

    first_changes = 0.5
    first_seconds = 7 * DAY

    def __init__(self, size: int, *, half_life_seconds: float = 90 * DAY) -> None:
        self.half_life_seconds = half_life_seconds
        self.changes: Floats = np.full(size, self.first_changes)
        self.seconds: Floats = np.full(size, self.first_seconds)

    @property
    def rate(self) -> Floats:
        rate: Floats = self.changes / self.seconds
        return rate

    def learn(self, who: Ints, waited: Floats, changed: Floats) -> None:
        """`changed` is 0 or 1."""
        waited = np.maximum(waited, 1.0)
        kept = np.exp2(-waited / self.half_life_seconds)
        changes = self.first_changes + (self.changes[who] - self.first_changes) * kept
        seconds = self.first_seconds + (self.seconds[who] - self.first_seconds) * kept
        expected = waited * changes / seconds
        self.changes[who] = changes + changed * expected / -np.expm1(-expected)
        self.seconds[who] = seconds + waited


def likeliest_rate(count: Floats, mean_wait: Floats, calm_seconds: Floats) -> Floats:
    """The rate at which looks are likeliest to find what they found, by bisection.

    `count` and `mean_wait`, a row a source: of waits that ended with a change, by bins. `calm_seconds`: the sum of
    those that ended without. One half-day of each kind is added, so that no history gives none or infinity.
    """
    low = np.full(len(calm_seconds), np.log(LOWEST_RATE))
    high = np.full(len(calm_seconds), np.log(HIGHEST_RATE))
    calm = calm_seconds + PSEUDO_WAIT
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        rate = np.exp(middle)
        pull = (count * mean_wait / np.expm1(np.minimum(rate[:, None] * mean_wait, MOST_EXPECTED))).sum(
            axis=1
        )
        pull += PSEUDO_WAIT / np.expm1(rate * PSEUDO_WAIT)
        is_higher = pull > calm
        low = np.where(is_higher, middle, low)
        high = np.where(is_higher, high, middle)
    rates: Floats = np.exp((low + high) / 2)
    return rates


class Waits:
    """All waits of each source as far as the likeliest rate needs them: in bins a quarter apart."""

    bins = 64
    shortest_seconds = 60.0
    ratio = 1.25

    def __init__(self, size: int) -> None:
        self.count: Floats = np.zeros((size, self.bins))
        self.sum: Floats = np.zeros((size, self.bins))
        self.calm_seconds: Floats = np.zeros(size)

    def learn(self, who: Ints, waited: Floats, changed: Bools) -> None:
        place = np.log(np.maximum(waited / self.shortest_seconds, 1.0)) / np.log(self.ratio)
        place = np.minimum(place, self.bins - 1).astype(np.int64)[changed]
        self.count[who[changed], place] += 1
        self.sum[who[changed], place] += waited[changed]
        self.calm_seconds[who] += np.where(changed, 0.0, waited)

    def of(self, who: Ints) -> tuple[Floats, Floats, Floats]:
        count = self.count[who]
        # Most bins are empty in any history; a bin that is empty for one source weighs nothing, but must not be zero.
        used = count.any(axis=0)
        count = count[:, used]
        mean = np.where(count > 0, self.sum[who][:, used] / np.maximum(count, 1), self.shortest_seconds)
        return count, mean, self.calm_seconds[who]
