"""What holds for every predictor in the folder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ronda.prediction import catalogue, scenarios
from ronda.prediction.contract import DAY, HOUR, Fleet, Looks, Predictor, Terms
from ronda.prediction.scenarios import START
from ronda.prediction.simulator import Run, Visits, Way, run
from ronda.prediction.traces import Course, Trace, course_of
from tests.prediction.telling import begun

every_predictor = pytest.mark.parametrize("name", catalogue.names())
ways = pytest.mark.parametrize(
    "way", [Way(step_seconds=3 * HOUR), Way(0.5, step_seconds=3 * HOUR)], ids=["alone", "budget"]
)
few_tries = settings(deadline=None, max_examples=25)
# Gap in hours, changed, hours ago it says it changed.
histories = st.lists(
    st.tuples(st.floats(0.1, 1000), st.booleans(), st.one_of(st.none(), st.floats(0, 2000))), max_size=40
)
SOURCES = 3
WHO = np.arange(SOURCES)


def told(name: str, history: list[tuple[float, bool, float | None]]) -> tuple[Predictor, float]:
    """Three sources, of which the first had this history, the second its opposite, the third none."""
    predictor = begun(name, sources=SOURCES)
    now = START
    for gap, changed, age in history:
        now += gap * HOUR
        modified_at = np.nan if age is None else now - age * HOUR
        predictor.look(
            Looks(
                WHO[:2],
                np.full(2, now),
                np.array([changed, not changed]),
                np.full(2, modified_at),
            )
        )
    return predictor, now


@every_predictor
def test_is_named_as_its_file_and_says_whether_it_learns_across(name: str) -> None:
    predictor = begun(name)
    assert predictor.name == name
    assert predictor.learns_across in (True, False)
    assert predictor.wants_notices(np.array([0])).shape == (1,)


@every_predictor
@few_tries
@given(history=histories, later=st.floats(0, 5000))
def test_bounds(name: str, history: list[tuple[float, bool, float | None]], later: float) -> None:
    predictor, now = told(name, history)
    then = now + later * HOUR
    due = predictor.next_visit(WHO, then)
    assert (due >= then).all()
    assert (due <= then + 366 * DAY).all()
    first, second = predictor.chance(WHO, np.full(3, then)), predictor.chance(WHO, np.full(3, then + DAY))
    for chance in (first, second):
        assert (np.isnan(chance) | ((chance >= 0) & (chance <= 1))).all()
    assert np.isfinite(predictor.urgency(then)).all()
    assert len(predictor.urgency(then)) == SOURCES
    for number in range(SOURCES):
        words = str(predictor.reason(number, then))
        assert words
        assert "%(" not in words


@every_predictor
@few_tries
@given(history=histories, hours=st.lists(st.floats(0.1, 2000), min_size=2, max_size=2))
def test_chance_grows_with_time(
    name: str, history: list[tuple[float, bool, float | None]], hours: list[float]
) -> None:
    predictor, now = told(name, history)
    sooner, later = (predictor.chance(WHO, np.full(3, now + one * HOUR)) for one in sorted(hours))
    assert (np.isnan(sooner) | (later >= sooner - 1e-9)).all()


@every_predictor
@few_tries
@given(history=histories, hours=st.floats(0.1, 100))
def test_a_notice_never_makes_less_urgent_or_later(
    name: str, history: list[tuple[float, bool, float | None]], hours: float
) -> None:
    predictor, now = told(name, history)
    deaf, _ = told(name, history)
    then = now + hours * HOUR
    predictor.notice(WHO, np.full(3, then))
    assert (predictor.urgency(then) >= deaf.urgency(then) - 1e-9).all()
    assert (predictor.next_visit(WHO, then) <= deaf.next_visit(WHO, then) + 1e-6).all()


@every_predictor
def test_comes_sooner_to_what_always_changes_than_to_what_never_does(name: str) -> None:
    predictor = begun(name, sources=2)
    for day in range(1, 31):
        looked = np.full(2, START + day * DAY)
        predictor.look(Looks(np.arange(2), looked, np.array([True, False]), np.full(2, np.nan)))
    now = START + 30 * DAY
    always, never = predictor.next_visit(np.arange(2), now)
    if name in ("fixed", "greedy", "azar"):
        # The first never minds; the other two give up what changes too fast to be held.
        assert always >= now
    else:
        assert always < never


@pytest.mark.parametrize("name", [name for name in catalogue.names() if not begun(name).learns_across])
def test_sources_that_do_not_learn_from_each_other_fare_alone_as_together(name: str) -> None:
    made = scenarios.make("mixed", sources=12, days=90)
    together = visits_of(course_of(made), name, Way(keeps_visits=True))
    for number in range(12):
        is_one = made.who == number
        alone = visits_of(
            course_of(
                replace(
                    made,
                    names=(made.names[number],),
                    who=np.zeros(int(is_one.sum()), dtype=np.int64),
                    at=made.at[is_one],
                    content=made.content[is_one],
                    size_bytes=made.size_bytes[is_one],
                ),
                end=course_of(made).end,
            ),
            name,
            Way(keeps_visits=True),
        )
        assert alone.at == pytest.approx(together.at[together.who == number])


def visits_of(course: Course, name: str, way: Way) -> Visits:
    kept = ended(course, name, way).log
    assert kept is not None
    return kept


def ended(course: Course, name: str, way: Way) -> Run:
    return run(
        course,
        catalogue.make(name, Terms(visits_per_day=way.visits_per_day)),
        replace(way, keeps_visits=True),
    )


def with_another_future(trace: Trace, after: float, seed: int) -> Trace:
    """The same until then; afterwards as many changes, at other times, at other sources, told at other times.

    Only sources that had begun change, as it is known from when each is followed.
    """
    chance = np.random.default_rng(seed)
    first_at = trace.at[np.searchsorted(trace.who, trace.who)]
    is_later = (trace.at > after) & (first_at <= after)
    count = int(is_later.sum())
    who = np.where(is_later, chance.choice(trace.who[first_at <= after], len(trace.at)), trace.who)
    at = trace.at.copy()
    at[is_later] = chance.uniform(after, trace.at.max(), count)
    order = np.lexsort((at, who))
    told_later = trace.told_at > after
    told_at = trace.told_at.copy()
    told_at[told_later] = np.sort(chance.uniform(after, trace.at.max(), int(told_later.sum())))
    return replace(trace, who=who[order], at=at[order], content=trace.content[order], told_at=told_at)


@every_predictor
@ways
@pytest.mark.parametrize("seed", [1, 2])
def test_nobody_looks_into_the_future(name: str, way: Way, seed: int) -> None:
    """Whatever comes after a moment, everything before it was decided the same."""
    made = scenarios.make("mixed", sources=40, days=60, seed=seed)
    told_at = made.at[40::3] + 600
    order = np.argsort(told_at)
    made = replace(made, told_who=made.who[40::3][order], told_at=told_at[order])
    made = beginning_later(made)
    moment, end = START + 35 * DAY, START + 60 * DAY
    way = replace(way, tells_modified=True)
    real = decided(visits_of(course_of(made, end=end), name, way), until=moment)
    changed = course_of(with_another_future(made, moment, seed), end=end)
    assert decided(visits_of(changed, name, way), until=moment) == real
    assert real


def beginning_later(trace: Trace) -> Trace:
    """A fifth of the sources is followed later, by two days each."""
    is_kept = (trace.who % 5 > 0) | (trace.at >= START + 2 * DAY * (trace.who // 5))
    return replace(
        trace,
        who=trace.who[is_kept],
        at=trace.at[is_kept],
        content=trace.content[is_kept],
        size_bytes=trace.size_bytes[is_kept],
    )


def decided(visits: Visits, until: float) -> list[tuple[float, int, bool]]:
    """Visits of one moment may stand in any order."""
    is_past = visits.at <= until
    return sorted(
        zip(visits.at[is_past], visits.who[is_past], visits.changed[is_past], strict=True)  # type: ignore[arg-type]
    )


@every_predictor
def test_is_the_same_every_time(name: str) -> None:
    course = course_of(scenarios.make("bursts", sources=20, days=60))
    one, other = (visits_of(course, name, Way(visits_per_day=1)) for _ in range(2))
    assert (one.who == other.who).all()


def test_fleets_of_any_size() -> None:
    for name in catalogue.names():
        for size in (1, 1000):
            predictor = catalogue.make(name)
            predictor.begin(Fleet(np.full(size, START), np.arange(size), np.ones(size)))
            assert len(predictor.urgency(START + DAY)) == size
