"""What sources are like in general: how common each rate is among those that are known, and so what to think of one.

Where all are alike, a look or two more or less at one of them does not make it another; a new one is taken for what
the others are.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Floats, Ints
from ronda.prediction.learning.states import CALM_RATES, Chain
from ronda.prediction.learning.value import Spectra

# As many sources as not knowing weighs against those that are known.
FIRST_WEIGHT = 20.0
RATES = len(CALM_RATES)


class Population:
    """Which sources were never looked at again, and how much commoner than at first thought each rate is."""

    def __init__(self, chain: Chain, size: int) -> None:
        self.chain = chain
        self.is_new = np.ones(size, dtype=np.bool_)
        self.renewed_at = -np.inf
        self.commonness: Floats = np.ones(RATES)

    def newcomers(self) -> Spectra:
        first: Spectra = np.tile(
            self.chain.spectrum(self.chain.root**2).astype(np.float32), (len(self.is_new), 1)
        )
        return first

    def lean(self, beliefs: Floats) -> Floats:
        """Spectra of what to think of sources whose own looks say this."""
        leant = beliefs * np.tile(self.commonness, 2)
        leant /= leant.sum(axis=1, keepdims=True)
        return self.chain.spectrum(leant)

    def see(self, who: Ints, now: float, leant: Spectra) -> None:
        """Once a day it is counted anew, and those that are still new are taken for the average."""
        self.is_new[who] = False
        if now - self.renewed_at < DAY:
            return
        self.renewed_at = now
        known = ~self.is_new
        total = leant[known].sum(axis=0, dtype=np.float64)
        belief = np.maximum(self.chain.basis @ total * self.chain.root, 0.0).reshape(2, RATES).sum(axis=0)
        self.commonness = RATES * (belief + FIRST_WEIGHT / RATES) / (belief.sum() + FIRST_WEIGHT)
        if self.is_new.any():
            leant[self.is_new] = self.lean(self.chain.root[None, :] ** 2)[0]
