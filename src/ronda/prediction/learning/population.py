"""What sources are like in general: how common each rate is among those that are known, and bursts with it, and so what
to think of one.

Where all are alike, a look or two more or less at one of them does not make it another; a new one is taken for what
the others are.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Floats, Ints
from ronda.prediction.learning.states import CALM_RATES, KINDS, Chain
from ronda.prediction.learning.value import Spectra

# As many sources as not knowing weighs against those that are known.
FIRST_WEIGHT = 5.0
RATES = len(CALM_RATES)


class Population:
    """Which sources were never looked at again, and how many there are of each rate among the others."""

    def __init__(self, chain: Chain, size: int) -> None:
        self.chain = chain
        self.is_new = np.ones(size, dtype=np.bool_)
        self.renewed_at = -np.inf
        # Of rates of steady sources, then of others: their shares at first thought, and how many are known by now.
        self.first: Floats = np.repeat([KINDS[0], 1 - KINDS[0]], RATES) / RATES
        self.known: Floats = np.zeros(2 * RATES)

    def newcomers(self) -> Spectra:
        first: Spectra = np.tile(
            self.chain.spectrum(self.chain.root**2).astype(np.float32), (len(self.is_new), 1)
        )
        return first

    def lean(self, beliefs: Floats, who: Ints) -> Floats:
        """What to think of sources whose own looks say this, by what the others are: not by itself once more."""
        alike = self._by(beliefs, self.known)
        own = np.where(self.is_new[who, None], 0.0, _by_rate(alike))
        return self._by(beliefs, np.maximum(self.known - own, 0.0))

    def _by(self, beliefs: Floats, known: Floats) -> Floats:
        commonness = known / self.first + FIRST_WEIGHT
        leant: Floats = beliefs * np.concatenate([commonness, commonness[..., RATES:]], axis=-1)
        leant /= leant.sum(axis=1, keepdims=True)
        return leant

    def see(self, who: Ints, now: float, leant: Spectra) -> None:
        """Once a day it is counted anew, and those that are still new are taken for the average."""
        self.is_new[who] = False
        if now - self.renewed_at < DAY:
            return
        self.renewed_at = now
        total = leant[~self.is_new].sum(axis=0, dtype=np.float64)
        self.known = _by_rate(np.maximum(self.chain.basis @ total * self.chain.root, 0.0))
        if self.is_new.any():
            new = self._by(self.chain.root[None, :] ** 2, self.known)
            leant[self.is_new] = self.chain.spectrum(new)[0]


def _by_rate(belief: Floats) -> Floats:
    """Of steady sources, and of others whether in calm or in a burst."""
    bursting = belief[..., 2 * RATES :]
    by_rate = belief[..., : 2 * RATES].copy()
    by_rate[..., RATES:] += bursting
    return by_rate
