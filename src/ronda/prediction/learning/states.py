"""What a source may be like just now: a rate of change, always the same or in calm or in a burst; and how belief in
that moves.

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
# Some never do: so many at first thought, until it is known how common bursts are.
STEADY_SHARE = 0.5
# Rates three times: of those that are steady, of the others in calm, and in a burst.
KINDS: Floats = np.array(
    [STEADY_SHARE, (1 - STEADY_SHARE) * (1 - BURST_SHARE), (1 - STEADY_SHARE) * BURST_SHARE]
)
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

    def typical(self, belief: Floats) -> Floats:
        """Changes a day in calm, by the middle of what is believed."""
        typical: Floats = np.exp2(belief @ np.tile(np.log2(CALM_RATES), len(KINDS)))
        return typical

    def still(self, spectrum: Floats, days: Floats) -> Floats:
        """The spectrum after days without a change; its sum against `ends` is the probability of that."""
        still: Floats = spectrum * np.exp(-np.multiply.outer(days, self.decay))
        return still

    def seen(self, spectrum: Floats, days: Floats) -> Floats:
        """The probability of a change within so many days."""
        return np.clip(1 - self.still(spectrum, days) @ self.ends, 0.0, 1.0)

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
    rates = np.minimum(np.outer([1, 1, BURST_FACTOR], CALM_RATES).ravel(), FASTEST_RATE)
    shares = np.outer(KINDS, np.full(calm, 1 / calm)).ravel()
    root = np.sqrt(shares)
    bursting = np.zeros((3, 3))
    bursting[1:, 1:] = _towards(np.array([1 - BURST_SHARE, BURST_SHARE]), 1 / BURST_DAYS)
    moves = np.kron(bursting, np.eye(calm)) + np.kron(np.eye(3), _drifting(calm))
    moves += _towards(shares, RENEWALS_PER_DAY)
    symmetric = root[:, None] * moves / root
    symmetric = (symmetric + symmetric.T) / 2
    decay, basis = np.linalg.eigh(np.diag(rates) - symmetric)
    mixing, mixing_basis = np.linalg.eigh(-symmetric)
    rest = np.eye(3)
    rest[1:, 1:] = [1 - BURST_SHARE, BURST_SHARE]
    usual = (basis.T * root) @ np.kron(rest, np.eye(calm)) @ (basis / root[:, None])
    return Chain(rates, root, decay, basis, np.maximum(mixing, 0.0), mixing_basis, basis.T @ root, usual)


def _towards(shares: Floats, per_day: float) -> Floats:
    """A chain that forgets its state at this rate and draws a new one by these shares."""
    moves: Floats = per_day * (np.tile(shares, (len(shares), 1)) - np.eye(len(shares)))
    return moves


def _drifting(size: int) -> Floats:
    """A chain that steps to a neighbour now and then."""
    steps = np.eye(size, k=1) + np.eye(size, k=-1)
    moves: Floats = DRIFTS_PER_DAY / 2 * (steps - np.diag(steps.sum(axis=1)))
    return moves
