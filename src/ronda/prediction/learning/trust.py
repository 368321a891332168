"""How far something is believed that may help to foresee: as far as it did, on looks it could not know of."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Bools, Floats

# Logarithms of odds. What is asked at all mostly helps; beyond the most, more of the same adds nothing, so that a mind
# can be changed.
FIRST_EVIDENCE = 3.0
MOST_EVIDENCE = 10.0
LEAST_CHANCE = 1e-3


class Trust:
    """The chance that what is foreseen with it is better than what is foreseen without it."""

    def __init__(self, most_evidence: float = MOST_EVIDENCE) -> None:
        self.evidence = FIRST_EVIDENCE
        self.most_evidence = most_evidence

    @property
    def share(self) -> float:
        return float(1 / (1 + np.exp(-self.evidence)))

    def see(self, with_it: Floats, without: Floats, changed: Bools) -> None:
        """The chances of finding a change that were given with it and without it, and what was found."""
        likelier = np.log(_of_what_came(with_it, changed) / _of_what_came(without, changed))
        evidence = self.evidence + float(likelier.sum())
        self.evidence = float(np.clip(evidence, -self.most_evidence, self.most_evidence))


def _of_what_came(chance: Floats, changed: Bools) -> Floats:
    chance = np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE)
    return np.where(changed, chance, 1 - chance)
