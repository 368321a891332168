"""Which predictor did best on each source's own history. Pure.

What a predictor is worth is the harmonic mean of what it holds (captured changes, or freshness, or between, as the
objective says) and of how many of its visits were worth it, the first counting four times as much: a lost change is
gone, a needless visit is only a needless visit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ronda.prediction import catalogue
from ronda.prediction.contract import DAY, Floats, Terms
from ronda.prediction.scoring import captured_rows
from ronda.prediction.simulator import Run, run
from ronda.prediction.traces import Course

# The square of how much more holding counts than sparing (an F-measure with β = 2).
HOLDING_WEIGHT = 4.0
LEAST_CHANGES = 5
LEAST_DAYS = 30.0


@dataclass(frozen=True)
class Trial:
    """What a predictor would have done with one source."""

    predictor: str
    visits: int
    captured: int
    lost: int
    needless: int
    freshness: float
    worth: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def is_enough(changes: int, days: float) -> bool:
    """Of less than a month, or of a change or two, nothing is learnt about predictors."""
    return changes >= LEAST_CHANGES and days >= LEAST_DAYS


def trials(course: Course, names: Sequence[str], terms: Terms) -> Iterator[list[Trial]]:
    """For each predictor: how it did with each source of the course."""
    for name in names:
        yield _of_each_source(name, course, run(course, catalogue.make(name, terms)), terms.objective)


def _of_each_source(name: str, course: Course, done: Run, objective: float) -> list[Trial]:
    size = len(course.began)
    changes = np.bincount(course.who[course.is_change], minlength=size)
    captured = np.bincount(course.who[captured_rows(course, done)], minlength=size)
    fresh = _freshness(course, done)
    return [
        Trial(
            predictor=name,
            visits=int(done.visits[one]),
            captured=int(captured[one]),
            lost=int(changes[one] - captured[one]),
            needless=int(done.visits[one] - done.finds[one]),
            freshness=float(fresh[one]),
            worth=worth(
                held=objective * captured[one] / max(1, changes[one]) + (1 - objective) * float(fresh[one]),
                spared=done.finds[one] / max(1, done.visits[one]),
            ),
        )
        for one in range(size)
    ]


def worth(*, held: float, spared: float) -> float:
    """Both from 0 to 1."""
    below = HOLDING_WEIGHT * spared + held
    return float((1 + HOLDING_WEIGHT) * held * spared / below) if below > 0 else 0.0


def _freshness(course: Course, done: Run) -> Floats:
    until = np.minimum(np.minimum(done.seen_at, course.next_at), course.end)
    stale = np.where(course.is_change, np.maximum(until - course.at, 0.0), 0.0)
    followed = np.maximum(course.end - course.began, DAY)
    fresh: Floats = 1 - np.bincount(course.who, weights=stale, minlength=len(course.began)) / followed
    return fresh


def best(found: Sequence[Trial], usual: str) -> str:
    """The usual one, unless another was better by more than a hair: who is no better is not changed to."""
    at_home = next((trial.worth for trial in found if trial.predictor == usual), 0.0)
    top = max(found, key=lambda trial: trial.worth)
    return top.predictor if top.worth > at_home * 1.02 else usual
