"""Predictors side by side on one course, with fixed frequencies of 1 to 30 days beside them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ronda.prediction import catalogue
from ronda.prediction.contract import FRESHNESS, VERSIONS, Terms
from ronda.prediction.errors import BadTerms
from ronda.prediction.scoring import Score, score
from ronda.prediction.simulator import Way, run
from ronda.prediction.traces import Course

FIXED_DAYS = range(1, 31)
_OBJECTIVES = {"versions": VERSIONS, "freshness": FRESHNESS}


@dataclass(frozen=True)
class Entry:
    name: str
    score: Score
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        return {"predictor": self.name, **self.score.as_dict(), "seconds": round(self.seconds, 3)}


@dataclass(frozen=True)
class Comparison:
    """`fixed` has no budget: what each frequency costs in visits is what it is compared for."""

    course: Course
    way: Way
    terms: Terms
    entries: list[Entry]
    fixed: list[Entry]

    def as_dict(self) -> dict[str, Any]:
        return {
            "from": moment(self.course.start),
            "to": moment(self.course.end),
            "sources": len(self.course.names),
            "changes": int(self.course.is_change.sum()),
            "visits_per_day": self.way.visits_per_day,
            "objective": self.terms.objective,
            "step_seconds": self.way.step_seconds,
            "predictors": [entry.as_dict() for entry in self.entries],
            "fixed": [entry.as_dict() for entry in self.fixed],
        }


def compare(
    course: Course,
    names: Sequence[str],
    *,
    way: Way,
    terms: Terms,
    on_each: Callable[[str], None] = lambda name: None,
) -> Comparison:
    """`on_each` hears who comes next: it may take a while."""
    # All of them are made first, so that a wrong name is told before anything is run.
    for name in names:
        catalogue.make(name, terms)
    alone = Way(step_seconds=way.step_seconds, tells_modified=way.tells_modified)

    def entered(name: str, way: Way) -> Entry:
        on_each(name)
        return enter(course, name, way=way, terms=terms)

    entries = [entered(name, way) for name in names]
    fixed = [entered(f"fixed:{days}", alone) for days in FIXED_DAYS]
    return Comparison(course, way, terms, entries, fixed)


def enter(course: Course, name: str, *, way: Way, terms: Terms) -> Entry:
    predictor = catalogue.make(name, terms)
    began = time.perf_counter()
    ended = run(course, predictor, way)
    seconds = time.perf_counter() - began
    return Entry(name, score(course, ended), seconds)


def objective_of(text: str) -> float:
    """`versions`, `freshness`, or a number between: how much versions count."""
    if text in _OBJECTIVES:
        return _OBJECTIVES[text]
    try:
        objective = float(text)
    except ValueError:
        objective = -1.0
    if not 0 <= objective <= 1:
        raise BadTerms(
            f"{text!r} is no objective.", hint="Say versions, freshness, or a number from 0 (freshness) to 1."
        )
    return objective


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
