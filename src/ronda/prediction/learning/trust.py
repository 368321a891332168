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

    def __init__(self, first_evidence: float = FIRST_EVIDENCE) -> None:
        self.evidence = first_evidence

    @property
    def share(self) -> float:
        return float(1 / (1 + np.exp(-self.evidence)))

    def see(self, with_it: Floats, without: Floats, changed: Bools) -> None:
        """The chances of finding a change that were given with it and without it, and what was found."""
        likelier = np.log(_of_what_came(with_it, changed) / _of_what_came(without, changed))
        self.evidence = float(np.clip(self.evidence + likelier.sum(), -MOST_EVIDENCE, MOST_EVIDENCE))


def _of_what_came(chance: Floats, changed: Bools) -> Floats:
    chance = np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE)
    return np.where(changed, chance, 1 - chance)
