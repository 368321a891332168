"""How fast predictors are: visits simulated a second, the cost of a decision, a million sources ranked.

Seconds are those of one core, so that others on the machine do not count.
"""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import numpy as np

from bench.measured import Measured, say
from ronda.prediction import catalogue, scenarios
from ronda.prediction.contract import DAY, FRESHNESS, VERSIONS, Fleet, Looks, Terms
from ronda.prediction.scenarios import START
from ronda.prediction.simulator import Way, run
from ronda.prediction.traces import course_of

OURS = "ronda"
SIMPLE = ("fixed", "simple", "simple_notified", "nutch")
MILLION = 1_000_000
PER_SITE = 10


def measure(*, is_quick: bool) -> list[Measured]:
    results = [_alone(name, is_quick) for name in SIMPLE]
    ours = OURS if OURS in catalogue.names() else "greedy"
    decisions = [_decisions(ours, VERSIONS, ""), _decisions(ours, FRESHNESS, "_for_freshness")]
    return [*results, _under_budget(ours, is_quick), *decisions, *_ranking(ours)]


def _alone(name: str, is_quick: bool) -> Measured:
    course = course_of(scenarios.make("mixed", sources=2000 if is_quick else 20_000, days=180))
    began = time.process_time()
    visits = int(run(course, catalogue.make(name)).visits.sum())
    rate = visits / (time.process_time() - began)
    say(f"{name} alone: {visits:,} visits of {len(course.names):,} sources, {rate:,.0f} a second")
    return Measured(f"{name}_visits_per_second", rate, 1_000_000)


def _under_budget(name: str, is_quick: bool) -> Measured:
    course = course_of(scenarios.make("mixed", sources=5000, days=15 if is_quick else 60))
    predictor = catalogue.make(name, Terms(visits_per_day=2.0))
    began = time.process_time()
    visits = int(run(course, predictor, Way(visits_per_day=2.0)).visits.sum())
    rate = visits / (time.process_time() - began)
    say(f"{name} at 2 a day: {visits:,} visits of {len(course.names):,} sources, {rate:,.0f} a second")
    return Measured(f"{name}_budget_visits_per_second", rate, 100_000)


def _decisions(name: str, objective: float, note: str) -> Measured:
    """A look told, the next visit and its chance asked: a batch of a thousand out of a hundred thousand."""
    sources, batch = 100_000, 1000
    predictor = catalogue.make(name, Terms(objective=objective))
    predictor.begin(Fleet(np.full(sources, START), np.arange(sources) // PER_SITE, np.ones(sources)))
    chance = np.random.default_rng(1)
    rounds = 50
    began = time.process_time()
    for number in range(rounds):
        who = np.sort(chance.choice(sources, batch, replace=False))
        at = np.full(batch, START + (1 + number) * DAY)
        predictor.look(Looks(who, at, chance.random(batch) < 0.3, np.full(batch, np.nan)))
        predictor.chance(who, predictor.next_visit(who, at))
    micros = (time.process_time() - began) / rounds / batch * 1e6
    say(f"{name}: {micros:.1f} µs a decision{note.replace('_', ' ')}")
    return Measured(f"{name}_decision{note}_microseconds", micros, 50, is_at_most=True)


def _ranking(name: str) -> list[Measured]:
    """In a process of its own, so that its memory is its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, megabytes = pool.apply(_rank_a_million, (name,))
    say(f"{name}: a million sources ranked in {seconds:.2f} s, {megabytes:.0f} MB in all")
    return [
        Measured(f"{name}_million_ranked_seconds", seconds, 5, is_at_most=True),
        Measured(f"{name}_million_megabytes", megabytes, 1000, is_at_most=True),
    ]


def _rank_a_million(name: str) -> tuple[float, float]:
    predictor = catalogue.make(name, Terms(visits_per_day=0.5))
    predictor.begin(Fleet(np.full(MILLION, START), np.arange(MILLION) // PER_SITE, np.ones(MILLION)))
    chance = np.random.default_rng(1)
    for part in np.array_split(np.arange(MILLION), 100):
        at = START + chance.uniform(0.5, 1.5, len(part)) * DAY
        predictor.look(Looks(part, at, chance.random(len(part)) < 0.3, np.full(len(part), np.nan)))
    began = time.process_time()
    urgency = predictor.urgency(START + 2 * DAY)
    np.argpartition(urgency, MILLION - MILLION // 100)
    seconds = time.process_time() - began
    return seconds, _peak_megabytes()


def _peak_megabytes() -> float:
    """Of this program; what getrusage says may still be that of the one that started it."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024
