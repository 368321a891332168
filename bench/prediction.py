"""Predictors beside each other, on real histories and made ones.

    python -m bench.prediction [traces] [robust] [scenarios] [document] [speed] [--quick] [--traces FOLDER]

traces     every CSV of the folder (../shared/traces): all predictors at 0.1, 0.5 and 2 visits a source and day
robust     the same on many cuts of each, by the mean over them
scenarios  the same on made webs
document   the archive document's sites, which change on half of the days of 241
speed      visits simulated a second, the cost of a decision, a million sources ranked

Quick: ticks of three hours, fewer cuts; the figures differ a little.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import prediction_robust, prediction_speed
from bench.measured import Measured, say, tell
from ronda.prediction import catalogue, scenarios
from ronda.prediction.comparison import Entry, enter
from ronda.prediction.contract import DAY, FRESHNESS, HOUR, VERSIONS, Terms
from ronda.prediction.reading import read_trace
from ronda.prediction.scenarios import START
from ronda.prediction.scoring import score
from ronda.prediction.simulator import Run, Way, run
from ronda.prediction.traces import Course, course_of

OURS = "ronda"
BUDGETS = (0.1, 0.5, 2.0)
SCENARIOS = ("poisson", "workdays", "bursts", "seasons", "dying", "mixed")
DOCUMENT_DAYS = 241
DOCUMENT_SITES = 20
TRACES = Path(__file__).resolve().parent.parent.parent / "shared" / "traces"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.prediction")
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--traces", type=Path, default=TRACES)
    asked = parser.parse_args()
    step = 3 * HOUR if asked.quick else HOUR
    parts: dict[str, Callable[[], list[Measured]]] = {
        "traces": lambda: measure_traces(asked.traces, step),
        "robust": lambda: prediction_robust.measure(asked.traces, is_quick=asked.quick),
        "scenarios": lambda: measure_scenarios(step),
        "document": measure_document,
        "speed": lambda: prediction_speed.measure(is_quick=asked.quick),
    }
    if unknown := set(asked.parts) - set(parts):
        parser.error(f"There is no part {', '.join(sorted(unknown))}. Parts: {', '.join(parts)}.")
    tell([result for name in asked.parts or parts for result in parts[name]()])


def measure_traces(folder: Path, step: float) -> list[Measured]:
    files = sorted(folder.glob("*.csv"))
    if not files:
        say(f"no traces in {folder}: left out")
    return [
        result for file in files for result in _at_all_budgets(file.stem, course_of(read_trace(file)), step)
    ]


def measure_scenarios(step: float) -> list[Measured]:
    days = 120
    return [
        result
        for name in SCENARIOS
        for result in _at_all_budgets(
            name, course_of(scenarios.make(name, sources=100, days=days), end=START + days * DAY), step
        )
    ]


def _at_all_budgets(name: str, course: Course, step: float) -> list[Measured]:
    return [result for budget in BUDGETS for result in _compare(name, course, Way(budget, step))]


def _compare(name: str, course: Course, way: Way) -> list[Measured]:
    """Ours by its objective against the best of all others on what that objective asks for."""
    others = [
        enter(course, other, way=way, terms=Terms(visits_per_day=way.visits_per_day))
        for other in catalogue.names()
        # With a budget nobody's notices or arguments differ: these two would only repeat others.
        if other not in (OURS, "simple_notified")
    ]
    for entry in others:
        _say(name, way, entry)
    if OURS not in catalogue.names():
        return []
    results = []
    for objective, measure, word in (
        (VERSIONS, _captured, "captured"),
        (FRESHNESS, _fresh, "freshness"),
    ):
        terms = Terms(objective=objective, visits_per_day=way.visits_per_day)
        ours = enter(course, OURS, way=way, terms=terms)
        _say(name, way, ours, f" for {word}")
        ratio = measure(ours) / max(max(map(measure, others)), 1e-9)
        results.append(Measured(f"{name}_{way.visits_per_day:g}_{word}_over_best", ratio, 1.0))
    return results


def _captured(entry: Entry) -> float:
    return entry.score.captured_share or 0.0


def _fresh(entry: Entry) -> float:
    return entry.score.freshness


def _say(name: str, way: Way, entry: Entry, note: str = "") -> None:
    judged = entry.score
    loss = "" if judged.log_loss is None else f", log-loss {judged.log_loss:.3f}"
    say(
        f"{name} at {way.visits_per_day:g}: {entry.name}{note}: captured {_captured(entry):.3f}, fresh "
        f"{judged.freshness:.4f}, delay {judged.mean_delay_hours or 0:.1f} h, hits {judged.hit_rate or 0:.3f}{loss}"
        f" ({entry.seconds:.1f} s)"
    )


def measure_document() -> list[Measured]:
    """Ten times the document's twenty sites, so that chance weighs less. Shares are of site-days, as it has them."""
    results = []
    for name in ("halfdays", "coinflips"):
        course = course_of(
            scenarios.make(name, sources=10 * DOCUMENT_SITES, days=DOCUMENT_DAYS),
            end=START + DOCUMENT_DAYS * DAY,
        )
        simple = _document_figures(name, course, "simple", Way(keeps_visits=True))
        for days in (1, 15, 30):
            _document_figures(name, course, f"fixed:{days}", Way(keeps_visits=True))
        if OURS in catalogue.names():
            same = Way(visits_per_day=simple[1], keeps_visits=True)
            ours = _document_figures(name, course, OURS, same)
            if name == "halfdays":
                results.append(
                    Measured("document_missed_over_simple", ours[0] / simple[0], 0.5, is_at_most=True)
                )
    return results


def _document_figures(name: str, course: Course, predictor: str, way: Way) -> tuple[float, float]:
    """Missed changes and visits a site-day."""
    ended = run(course, catalogue.make(predictor, Terms(visits_per_day=way.visits_per_day)), way)
    judged = score(course, ended)
    site_days = len(course.names) * DOCUMENT_DAYS
    say(
        f"{name}: {predictor}: changes {judged.changes / site_days:.3f}, visits {judged.visits / site_days:.3f}, "
        f"missed {judged.missed / site_days:.3f}, lost as the document counts "
        f"{_days_lost(course, ended) / site_days:.3f}, "
        f"visits less changes {(judged.visits - judged.changes) / site_days:.3f}, found nothing "
        f"{judged.needless / max(judged.visits, 1):.3f} of visits"
    )
    return judged.missed / site_days, judged.visits / site_days


def _days_lost(course: Course, ended: Run) -> int:
    """The document calls a change lost when its day had no visit; a visit at midnight ends a day."""
    assert ended.log is not None
    visited = DOCUMENT_DAYS * ended.log.who + (ended.log.at - START - 1) // DAY
    changed = DOCUMENT_DAYS * course.who[course.is_change] + (course.at[course.is_change] - START) // DAY
    return int((~np.isin(changed, visited)).sum())


if __name__ == "__main__":
    main()
