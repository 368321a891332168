"""What a source may be like just now: a rate of change, in calm or in a burst; and how belief in that moves.

A hidden Markov chain in continuous time: changes come at the rate of the present state, states pass into each other.
Looks say only whether there was a change since the look before, and that is taken into account exactly. The chain is
reversible, so that its matrix exponentials come from symmetric eigenvectors: a belief is held as its weights on them
(its spectrum), and what happens without a look is one exponential per weight. Times are in days, rates per day.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ronda.prediction.contract import Floats

# From one change in three years to sixteen a day, each twice the one before; none likelier than another at first.
CALM_RATES: Floats = np.exp2(np.arange(-10.0, 5.0))
# Real pages change in bursts: gaps vary one and a half to twenty times as much as by chance alone.
BURST_FACTOR = 50.0
BURST_SHARE = 0.02
BURST_DAYS = 0.4
# How often a source becomes another one altogether: redesigned, abandoned, taken up again.
RENEWALS_PER_DAY = 1 / 1000
# How often it becomes twice or half as busy.
DRIFTS_PER_DAY = 1 / 120
FASTEST_RATE = 48.0


@dataclass(frozen=True)
class Chain:
    """`decay` and `basis`: eigenvalues (negated) and eigenvectors of the chain while nothing changes; `mixing`,
    `mixing_basis`: of the chain whatever happens; `root`: of the stationary shares; `ends`: what a
    spectrum is summed against; `usual`: turns a spectrum into that of the same source with bursts as rare as usual."""

    rates: Floats
    root: Floats
    decay: Floats
    basis: Floats
    mixing: Floats
    mixing_basis: Floats
    ends: Floats
    usual: Floats

    @property
    def size(self) -> int:
        return len(self.rates)

    def spectrum(self, belief: Floats) -> Floats:
        spectrum: Floats = (belief / self.root) @ self.basis
        return spectrum

    def belief(self, spectrum: Floats) -> Floats:
        """Probabilities of the states; rounding may have left traces below nothing."""
        belief = np.maximum((spectrum @ self.basis.T) * self.root, 1e-12)
        belief /= belief.sum(axis=-1, keepdims=True)
        return belief

    def still(self, spectrum: Floats, days: Floats) -> Floats:
        """The spectrum after days without a change; its sum against `ends` is the probability of that."""
        still: Floats = spectrum * np.exp(-np.multiply.outer(days, self.decay))
        return still

    def anyway(self, spectrum: Floats, days: Floats) -> Floats:
        """The spectrum after days in which whatever may have happened."""
        mixed = ((spectrum @ self.basis.T) @ self.mixing_basis) * np.exp(
            -np.multiply.outer(days, self.mixing)
        )
        anyway: Floats = (mixed @ self.mixing_basis.T) @ self.basis
        return anyway

    def struck(self, spectrum: Floats) -> Floats:
        """The spectrum weighed by a change at this moment."""
        struck: Floats = ((spectrum @ self.basis.T) * self.rates) @ self.basis
        return struck


@cache
def chain() -> Chain:
    calm = len(CALM_RATES)
    rates = np.minimum(np.concatenate([CALM_RATES, CALM_RATES * BURST_FACTOR]), FASTEST_RATE)
    shares = np.outer([1 - BURST_SHARE, BURST_SHARE], np.full(calm, 1 / calm)).ravel()
    root = np.sqrt(shares)
    moves = np.kron(_towards([1 - BURST_SHARE, BURST_SHARE], 1 / BURST_DAYS), np.eye(calm))
    moves += np.kron(np.eye(2), _towards([1 / calm] * calm, RENEWALS_PER_DAY) + _drifting(calm))
    symmetric = root[:, None] * moves / root
    symmetric = (symmetric + symmetric.T) / 2
    decay, basis = np.linalg.eigh(np.diag(rates) - symmetric)
    mixing, mixing_basis = np.linalg.eigh(-symmetric)
    bursts = np.tile([1 - BURST_SHARE, BURST_SHARE], (2, 1))
    usual = (basis.T * root) @ np.kron(bursts, np.eye(calm)) @ (basis / root[:, None])
    return Chain(rates, root, decay, basis, np.maximum(mixing, 0.0), mixing_basis, basis.T @ root, usual)


def _towards(shares: list[float], per_day: float) -> Floats:
    """A chain that forgets its state at this rate and draws a new one by these shares."""
    moves: Floats = per_day * (np.tile(shares, (len(shares), 1)) - np.eye(len(shares)))
    return moves


def _drifting(size: int) -> Floats:
    """A chain that steps to a neighbour now and then."""
    steps = np.eye(size, k=1) + np.eye(size, k=-1)
    moves: Floats = DRIFTS_PER_DAY / 2 * (steps - np.diag(steps.sum(axis=1)))
    return moves
