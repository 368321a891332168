"""What others say about changes, and how far to believe it: notices, and the date a source gives for itself."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Bools, Floats, Ints

# Believed at first as if of this many words this many had been true.
FIRST_WORDS = 4.0
FIRST_TRUE = 3.0
# As many words as all sources' record weighs against a source's own.
OWN_WEIGHT = 4.0
# A date is used only if it has mostly been right.
LEAST_TRUST = 0.6


class Record:
    """How often a source's words came true, leant on how often everybody's did."""

    def __init__(self, size: int) -> None:
        self.words = np.zeros(size, dtype=np.float32)
        self.true = np.zeros(size, dtype=np.float32)

    def add(self, who: Ints, came_true: Bools) -> None:
        self.words[who] += 1
        self.true[who] += came_true

    def trust(self, who: Ints) -> Floats:
        everybody = (float(self.true.sum()) + FIRST_TRUE) / (float(self.words.sum()) + FIRST_WORDS)
        trust: Floats = (self.true[who] + OWN_WEIGHT * everybody) / (self.words[who] + OWN_WEIGHT)
        return trust.astype(np.float64)


class Notices:
    """When somebody last said that a source changed."""

    def __init__(self, size: int) -> None:
        self.told_at: Floats = np.full(size, -np.inf)
        self.record = Record(size)
        self.any = False

    def hear(self, who: Ints, at: Floats) -> None:
        self.any = True
        self.told_at[who] = np.maximum(self.told_at[who], at)

    def push(self, who: Ints | slice, last_look: Floats) -> Floats:
        """The probability that these changed because somebody said so, on top of their own."""
        push = np.zeros(len(last_look))
        if self.any:
            told = np.flatnonzero(self.told_at[who] > last_look)
            if told.size:
                push[told] = self.record.trust(np.arange(len(self.told_at))[who][told])
        return push

    def learn(self, who: Ints, last_look: Floats, changed: Bools) -> None:
        if self.any:
            told = np.flatnonzero(self.told_at[who] > last_look)
            self.record.add(who[told], changed[told])


class Dates:
    """When sources say they last changed."""

    def __init__(self, size: int) -> None:
        self.record = Record(size)

    def believed(self, who: Ints, begin: Floats, end: Floats, modified_at: Floats, changed: Bools) -> Bools:
        """Whose date tells when between two looks it changed; learns from whether there was a change at all."""
        says = (modified_at > begin) & (modified_at <= end)
        if not says.any():
            return says
        numbers = np.flatnonzero(says)
        trust = self.record.trust(who[numbers])
        self.record.add(who[numbers], changed[numbers])
        says[numbers] = (trust >= LEAST_TRUST) & changed[numbers]
        return says
