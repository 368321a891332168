"""What a look is worth now, by the objective: versions that would else be lost, days of being up to date.

If changes came at a constant rate, going always to where `1 - (1 + z) exp(-z)` is largest (z: changes expected since
the last look) would keep the most versions, and divided by the rate the most freshness. For versions every weight of a
belief's spectrum is such a rate.

Freshness is what comes after a look, and by then a burst is mostly over. So what is worth being up to date is judged by
the source as it usually is: it is as urgent as it would be after so long a wait that it were as likely to have changed.
It is worth what it would be at each of the rates it may have in calm, averaged over the belief in these: what changes
too fast to be held is not given up for the bursts of others, and visits that always find a change cannot tell how fast.
A part of it is what a look adds to harmonic freshness (LambdaCrawl's), which grows for as long as nobody comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ronda.prediction.contract import Floats
from ronda.prediction.learning.states import CALM_RATES, KINDS, Chain

# So many sources at a time: what is between stays small.
PORTION = 32_768
Spectra = NDArray[np.float32]
Singles = NDArray[np.float32]

# Steps towards the wait that is sought (it is nearly proportional to what is expected), and its bounds in days.
STEPS = 4
SHORTEST_DAYS, LONGEST_DAYS = 1e-4, 4000.0
# So likely to have changed is as good as certain.
MOST_EXPECTED = 12.0
# How much the value counts that gives nobody up: what was taken for too fast would else never be looked at again.
FLOOR = 0.1


@dataclass(frozen=True)
class Value:
    """`objective`: 1 counts versions, 0 days of freshness, between them a version as much as a day."""

    chain: Chain
    objective: float

    @cached_property
    def _decay(self) -> Singles:
        return self.chain.decay.astype(np.float32)

    @cached_property
    def _ends(self) -> Singles:
        return self.chain.ends.astype(np.float32)

    @cached_property
    def _usual(self) -> Singles:
        return self.chain.usual.astype(np.float32)

    @cached_property
    def _rates(self) -> Singles:
        return CALM_RATES.astype(np.float32)

    @cached_property
    def _shares(self) -> Singles:
        """Turns a spectrum into probabilities of the rates in calm."""
        states = self.chain.basis * self.chain.root[:, None]
        shares: Singles = states.reshape(len(KINDS), len(CALM_RATES), -1).sum(axis=0).T.astype(np.float32)
        return shares

    def of(self, spectra: Spectra, days: Floats, push: Floats) -> Floats:
        """`days` since the last look by their clocks; `push`: probability that something else made them change."""
        value = np.empty(len(days))
        for begin in range(0, len(days), PORTION):
            part = slice(begin, begin + PORTION)
            some = spectra[part], days[part].astype(np.float32), push[part]
            if self.objective >= 1:
                value[part] = self._of_versions(*some)
            elif self.objective <= 0:
                value[part] = self._of_freshness(*some)
            else:
                versions, freshness = self._of_versions(*some), self._of_freshness(*some)
                value[part] = self.objective * versions + (1 - self.objective) * freshness
        return value

    def _of_versions(self, spectra: Spectra, days: Singles, push: Floats) -> Floats:
        expected = np.multiply.outer(days, self._decay)
        # What pushes counts as that many changes more to be expected.
        pushed = np.flatnonzero(push)
        if pushed.size:
            expected[pushed] -= np.log1p(-push[pushed]).astype(np.float32)[:, None]
        value: Floats = np.maximum(_lost(spectra, expected) @ self._ends, 0.0).astype(np.float64)
        return value

    def _of_freshness(self, spectra: Spectra, days: Singles, push: Floats) -> Floats:
        wanted = self._expected(spectra, days)[0] - np.log1p(-push).astype(np.float32)
        wanted = np.clip(wanted, 1e-9, MOST_EXPECTED)
        usual = spectra @ self._usual
        wait = np.clip(days, SHORTEST_DAYS, LONGEST_DAYS)
        for _ in range(STEPS):
            expected, slope = self._expected(usual, wait)
            step = np.log(wanted / expected) / np.clip(slope, 0.1, 1.0)
            wait = np.clip(wait * np.exp(np.clip(step, -3.0, 3.0)), SHORTEST_DAYS, LONGEST_DAYS)
        expected = np.multiply.outer(wait, self._rates)
        # Rounding may have left traces below nothing.
        shares = np.maximum(usual @ self._shares, 0.0)
        fresh = _lost(shares, expected) @ (1 / self._rates)
        held = wait / 2 * (shares * expected / (1 + expected)).sum(axis=1)
        value: Floats = ((1 - FLOOR) * fresh + FLOOR * held).astype(np.float64)
        return value

    def _expected(self, spectra: Spectra, days: Singles) -> tuple[Singles, Singles]:
        """How many changes are to be expected after so many days, and by which power of them that grows."""
        still = np.exp(np.multiply.outer(days, -self._decay))
        seen = np.clip((spectra * (1 - still)) @ self._ends, 1e-9, 1 - 1e-6)
        expected: Singles = -np.log1p(-seen)
        hazard = (spectra * still) @ (self._ends * self._decay) / (1 - seen)
        slope: Singles = days * hazard / expected
        return expected, slope


def _lost(weights: Singles, expected: Singles) -> Singles:
    lost: Singles = weights * (1 - (1 + expected) * np.exp(-expected))
    return lost
