"""Whether what is said at 70 % happens 70 % of the time: ten bins and the log-loss."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ronda.prediction.contract import Bools, Floats

BINS = 10
# One sure word that was wrong must not cost without bound.
CLOSEST_TO_SURE = 1e-6


@dataclass(frozen=True)
class Bin:
    """Looks that were given a chance between `low` and `high`: how many, what was said on average, what happened."""

    low: float
    high: float
    looks: int
    said: float
    happened: float


class Calibration:
    """Adds up what was said and what happened, look by look."""

    def __init__(self) -> None:
        self.looks = np.zeros(BINS)
        self.said = np.zeros(BINS)
        self.happened = np.zeros(BINS)
        self.loss = 0.0

    def add(self, chance: Floats, changed: Bools) -> None:
        is_said = np.isfinite(chance)
        if not is_said.all():
            if not is_said.any():
                return
            chance, changed = chance[is_said], changed[is_said]
        number = np.minimum((chance * BINS).astype(np.int64), BINS - 1)
        self.looks += np.bincount(number, minlength=BINS)
        self.said += np.bincount(number, weights=chance, minlength=BINS)
        self.happened += np.bincount(number, weights=changed, minlength=BINS)
        sure = np.clip(chance, CLOSEST_TO_SURE, 1 - CLOSEST_TO_SURE)
        self.loss -= float(np.log(np.where(changed, sure, 1 - sure)).sum())

    @property
    def log_loss(self) -> float | None:
        """In nats a look; none where no chance was given."""
        total = float(self.looks.sum())
        return self.loss / total if total else None

    @property
    def error(self) -> float | None:
        """How far what was said lies from what happened, on average over looks."""
        total = float(self.looks.sum())
        return float(np.abs(self.said - self.happened).sum()) / total if total else None

    def bins(self) -> list[Bin]:
        return [
            Bin(
                n / BINS,
                (n + 1) / BINS,
                int(looks),
                float(self.said[n] / looks),
                float(self.happened[n] / looks),
            )
            for n, looks in enumerate(self.looks)
            if looks
        ]
