"""What tests tell a predictor, in days since a Monday."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import settings

from ronda.prediction import catalogue
from ronda.prediction.contract import DAY, Fleet, Looks, Predictor, Terms
from ronda.prediction.scenarios import START
from ronda.prediction.traces import Course, course_of, trace_of

ONLY = np.array([0])
# A busy machine is no failure.
unhurried = settings(deadline=None)


def begun(name: str, terms: Terms | None = None, *, sources: int = 1) -> Predictor:
    predictor = catalogue.make(name, terms)
    predictor.begin(Fleet(np.full(sources, START), np.zeros(sources, dtype=np.int64), np.ones(sources)))
    return predictor


def look(predictor: Predictor, day: float, changed: bool, modified_day: float = np.nan) -> None:
    at = START + day * DAY
    predictor.look(Looks(ONLY, np.array([at]), np.array([changed]), np.array([START + modified_day * DAY])))


def notice(predictor: Predictor, day: float) -> None:
    predictor.notice(ONLY, np.array([START + day * DAY]))


def next_day(predictor: Predictor, now: float) -> float:
    """When it would go next, in days."""
    [at] = predictor.next_visit(ONLY, START + now * DAY)
    return float(at - START) / DAY


def chance_at(predictor: Predictor, day: float) -> float:
    return float(predictor.chance(ONLY, np.array([START + day * DAY]))[0])


def made_course(changes: Sequence[Sequence[float]], days: float) -> Course:
    """Sources that are there from the beginning and change on these days, followed for `days`."""
    who = np.concatenate([np.full(len(one) + 1, number) for number, one in enumerate(changes)])
    at = np.concatenate([[0.0, *one] for one in changes])
    names = tuple(f"site{number}.example/" for number in range(len(changes)))
    return course_of(trace_of(names, who, START + at * DAY), end=START + days * DAY)
