"""Whether a lead is luck: every trace cut many ways, by sources and by time, and each predictor's mean over the cuts.

At one visit in ten days of a few sources a run is some hundred visits, and the best of a dozen predictors on one
history is mostly the luckiest. Over the cuts each of them has its mean; ours is set beside the best of these.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.measured import Measured, say
from ronda.prediction import catalogue
from ronda.prediction.comparison import enter
from ronda.prediction.contract import DAY, FRESHNESS, HOUR, VERSIONS, Floats, Ints, Terms
from ronda.prediction.reading import read_trace
from ronda.prediction.simulator import Way
from ronda.prediction.traces import Course, Trace, course_of, trace_of

OURS = "ronda"
BUDGETS = (0.1, 0.5, 2.0)
CUTS = 10
MOST_SOURCES = 40
# Neighbouring cuts begin on other days of the week and at other hours.
SHIFT_SECONDS = 11.37 * DAY
STEP_SECONDS = 4 * HOUR


def measure(folder: Path, *, is_quick: bool) -> list[Measured]:
    results = []
    for file in sorted(folder.glob("*.csv")):
        courses = cuts(read_trace(file), 4 if is_quick else CUTS)
        for budget in BUDGETS:
            results += _judge(file.stem, courses, budget)
    return results


def cuts(trace: Trace, count: int) -> list[Course]:
    """Four fifths of the sources by lot (forty at most), from a later day each, for three quarters of the time."""
    begin, end = float(trace.at.min()), float(trace.at.max())
    size = min(MOST_SOURCES, max(1, len(trace.names) * 4 // 5))
    made = []
    for number in range(count):
        chosen = np.random.default_rng(number).choice(len(trace.names), size, replace=False)
        start = begin + number * SHIFT_SECONDS
        until = min(end, start + 0.75 * (end - begin))
        made.append(course_of(_of_sources(trace, chosen), start, until))
    return made


def _of_sources(trace: Trace, chosen: Ints) -> Trace:
    is_chosen = np.isin(trace.who, chosen)
    part = trace_of(trace.names, trace.who[is_chosen], trace.at[is_chosen])
    # Rows of a trace stand by source and time, so they are still in the order of their contents.
    return Trace(**{**vars(part), "content": trace.content[is_chosen]})


def _judge(name: str, courses: list[Course], budget: float) -> list[Measured]:
    others = [other for other in catalogue.names() if other not in (OURS, "simple_notified")]
    figures = {other: _figures(courses, other, budget, VERSIONS) for other in others}
    results = []
    for column, (objective, word) in enumerate(((VERSIONS, "captured"), (FRESHNESS, "freshness"))):
        ours = _figures(courses, OURS, budget, objective)[:, column]
        means = {other: float(figures[other][:, column].mean()) for other in others}
        best = max(means, key=lambda other: means[other])
        ahead = sum(bool(ours[n] >= max(figures[o][n, column] for o in others)) for n in range(len(courses)))
        error = float((ours - figures[best][:, column]).std() / np.sqrt(len(courses)))
        say(
            f"{name} at {budget:g}: {word} {ours.mean():.4f}, best other {best} {means[best]:.4f} (± {error:.4f}); "
            f"ahead of all in {ahead} of {len(courses)} cuts"
        )
        results.append(
            Measured(f"{name}_{budget:g}_{word}_over_best_mean", float(ours.mean()) / means[best], 1.0)
        )
    return results


def _figures(courses: list[Course], predictor: str, budget: float, objective: float) -> Floats:
    """Captured share and freshness, a row a cut."""
    way, terms = Way(budget, STEP_SECONDS), Terms(objective=objective, visits_per_day=budget)
    scores = [enter(course, predictor, way=way, terms=terms).score for course in courses]
    return np.array([(judged.captured_share or 0.0, judged.freshness) for judged in scores])
