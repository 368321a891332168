"""How busy the parts of a period are (days of the week, hours of the day), from looks that say only what lay between.

The likeliest paces by Newton's method, a step a batch: a look that found nothing where much was to be expected speaks
against the hours it covers, one that found something speaks for them, and looks at other times tell them apart.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Bools, Floats

# As many changes as it takes to believe that the parts differ, and those after which habits fade.
FIRST_CHANGES = 24.0
CHANGES_REMEMBERED = 1000.0
SLOWEST, FASTEST = np.log(0.02), np.log(10.0)


class Habit:
    """Logarithms of the paces, and how well they are known."""

    def __init__(self, parts: int, alike: float = 0.0) -> None:
        """`alike`: how much more it takes to believe that neighbours differ."""
        self.log_paces: Floats = np.zeros(parts)
        self.known: Floats = np.zeros((parts, parts))
        unlike = np.eye(parts) - (np.roll(np.eye(parts), 1, axis=0) + np.roll(np.eye(parts), -1, axis=0)) / 2
        self.first: Floats = (np.eye(parts) + alike * unlike) * (FIRST_CHANGES / parts)

    @property
    def paces(self) -> Floats:
        """1 on average."""
        paces: Floats = np.exp(self.log_paces)
        paces /= paces.mean()
        return paces

    def learn(self, covered: Floats, expected: Floats, changed: Bools, weight: Floats) -> None:
        """`covered`: how much of each part lay between two looks, a row each; `expected`: changes in all of it."""
        share = covered * self.paces
        share /= share.sum(axis=1, keepdims=True)
        odds = 1 / np.expm1(np.clip(expected, 1e-6, 50.0))
        pull = weight * expected * np.where(changed, odds, -1.0)
        kept = (1 - 1 / CHANGES_REMEMBERED) ** float((weight * changed).sum())
        self.known = kept * self.known + (share * (weight * expected**2 * odds)[:, None]).T @ share
        slope = pull @ share - (1 - kept) * (self.first @ self.log_paces)
        step = np.clip(np.linalg.solve(self.known + self.first, slope), -0.5, 0.5)
        self.log_paces = np.clip(self.log_paces + step, SLOWEST, FASTEST)
