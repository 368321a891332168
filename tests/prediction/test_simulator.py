"""What is captured, missed, needless, fresh: by hand, and against a slow judge that follows the definitions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.prediction import catalogue, scenarios
from ronda.prediction.calibration import Calibration
from ronda.prediction.contract import DAY, HOUR, Floats, Terms
from ronda.prediction.errors import BadTerms, NoSuchScenario
from ronda.prediction.predictors.fixed import Fixed
from ronda.prediction.reading import parse_trace
from ronda.prediction.scenarios import START
from ronda.prediction.scoring import Score, score
from ronda.prediction.simulator import Way, run
from ronda.prediction.traces import Course, course_of, related_numbers
from tests.prediction.telling import made_course, unhurried

days_of_changes = st.lists(st.lists(st.floats(0.001, 39.9), max_size=30), min_size=1, max_size=5)


def result_of(course: Course, name: str, way: Way | None = None) -> Score:
    way = way or Way()
    predictor = catalogue.make(name, Terms(visits_per_day=way.visits_per_day))
    return score(course, run(course, predictor, way))


def test_by_hand() -> None:
    """Looked at after 1, 2 and 3 days: two changes before the first look, one before the third."""
    course = made_course([[0.25, 0.5, 2.75]], days=3)
    result = result_of(course, "fixed")
    assert (result.visits, result.changes, result.captured, result.missed) == (3, 3, 2, 1)
    assert (result.needless, result.hit_rate, result.stored, result.reverts) == (
        1,
        pytest.approx(2 / 3),
        2,
        0,
    )
    # Stale from 0.25 to 1 and from 2.75 to 3.
    assert result.freshness == pytest.approx(1 - (0.75 + 0.25) / 3)
    assert result.mean_delay_hours == pytest.approx((18 + 12 + 6) / 3)
    assert result.bytes_stored is None
    assert result.log_loss is None


def test_a_look_at_the_very_moment_sees_the_change() -> None:
    course = made_course([[1.0, 2.0]], days=2)
    result = result_of(course, "fixed")
    assert (result.captured, result.needless, result.freshness) == (2, 0, 1.0)


def test_what_is_not_seen_by_the_end_is_missed_and_delayed_until_then() -> None:
    course = made_course([[1.5]], days=1.75)
    result = result_of(course, "fixed")
    assert (result.visits, result.captured, result.missed) == (1, 0, 1)
    assert result.mean_delay_hours == pytest.approx(6)
    assert result.freshness == pytest.approx(1 - 0.25 / 1.75)


def test_reverts_and_bytes() -> None:
    """Content a, b, a, c; daily looks. Back to a: seen as a change, stored as a mark only."""
    rows = [("a", 0, 10), ("b", 0.5, 20), ("a", 1.5, 10), ("c", 2.5, 40)]
    course = course_of(parse_trace(_csv(rows)), end=START + 3 * DAY)
    result = result_of(course, "fixed")
    assert (result.captured, result.stored, result.reverts, result.bytes_stored) == (3, 3, 1, 60)
    assert result.needless == 0


def test_there_and_back_between_two_looks_looks_unchanged() -> None:
    course = course_of(parse_trace(_csv([("a", 0, 10), ("b", 0.5, 20), ("a", 0.75, 10)])), end=START + DAY)
    result = result_of(course, "fixed")
    assert (result.changes, result.captured, result.missed) == (2, 1, 1)
    assert (result.visits, result.needless, result.stored, result.bytes_stored) == (1, 1, 0, 0)


def _csv(rows: list[tuple[str, float, int]]) -> list[str]:
    moments = [np.datetime64(int(START + day * DAY), "s") for _, day, _ in rows]
    return ["source,changed_at,content_id,size_bytes\n"] + [
        f"x,{moment}Z,{content},{size}\n" for moment, (content, _, size) in zip(moments, rows, strict=True)
    ]


@unhurried
@given(days_of_changes, st.sampled_from(["fixed", "simple", "nutch", "greedy", "azar"]), st.booleans())
def test_against_a_slow_judge(changes: list[list[float]], name: str, has_budget: bool) -> None:
    course = made_course([sorted(set(one)) for one in changes], days=40)
    way = Way(visits_per_day=0.4 if has_budget else None, keeps_visits=True)
    predictor = catalogue.make(name, Terms(visits_per_day=way.visits_per_day))
    ended = run(course, predictor, way)
    assert ended.log is not None
    result = score(course, ended)
    captured, found, stale, delays = 0, 0, 0.0, []
    for number in range(len(changes)):
        looks = [float(at) for at in ended.log.at[ended.log.who == number]]
        assert looks == sorted(set(looks))
        times = [float(at) for at in course.at[(course.who == number) & course.is_change]]
        for at, following in pairwise([*times, np.inf]):
            after = [one for one in looks if one >= at]
            seen = after[0] if after else np.inf
            captured += seen < following
            stale += min(seen, following, course.end) - at
            delays.append(min(seen, course.end) - at)
        for before, one in pairwise([float(course.began[number]), *looks]):
            found += any(before < at <= one for at in times)
    assert result.captured == captured
    assert result.needless == len(ended.log.at) - found
    assert result.freshness == pytest.approx(1 - stale / (40 * DAY * len(changes)))
    if delays:
        assert result.mean_delay_hours == pytest.approx(np.mean(delays) / HOUR)


@pytest.mark.parametrize("per_day", [0.1, 2.0])
def test_a_budget_is_spent_by_all_alike(per_day: float) -> None:
    course = course_of(scenarios.make("mixed", sources=30, days=20), end=START + 20 * DAY)
    visits = {name: result_of(course, name, Way(visits_per_day=per_day)).visits for name in catalogue.names()}
    whole = int(30 * 20 * per_day)
    assert all(count == whole for name, count in visits.items() if name != "ronda")
    # Ours may have saved some at the end, but never has more.
    assert whole - 7 * 30 * per_day <= visits.get("ronda", whole) <= whole


def test_more_than_a_visit_a_tick_cannot_be_spent() -> None:
    course = made_course([[0.5]], days=2)
    assert result_of(course, "fixed", Way(visits_per_day=100)).visits == 48


class OnlyMondays(Fixed):
    """Rather not on any other day."""

    def urgency(self, now: float) -> Floats:
        is_monday = int((now - START) // DAY) % 7 == 0
        return super().urgency(now) if is_monday else np.full(len(self.last_look), -np.inf)


def test_what_is_not_spent_is_saved_for_a_week() -> None:
    course = made_course([[0.5]] * 10, days=69)
    ended = run(course, OnlyMondays(Terms()), Way(visits_per_day=1.0, keeps_visits=True))
    assert ended.log is not None
    assert set((ended.log.at - START) // DAY % 7) == {0}
    # Never more than a budget of seven days at once, and all of it but the last six days.
    assert 10 * 61 <= int(ended.visits.sum()) <= 10 * 64


def test_sources_are_followed_from_their_first_row_or_from_a_moment_on() -> None:
    trace = parse_trace(
        [
            "source,changed_at\n",
            "a.example/1,2024-01-01T00:00:00Z\n",
            "a.example/1,2024-01-03T00:00:00Z\n",
            "a.example/2,2024-01-05T00:00:00Z\n",
            "a.example/2,2024-01-06T12:00:00Z\n",
        ]
    )
    whole = course_of(trace)
    assert list((whole.began - START) / DAY) == [0, 4]
    assert (whole.end - START) / DAY == 6, "the end of the last day"
    assert int(whole.is_change.sum()) == 2
    late = course_of(trace, START + 3.5 * DAY, START + 5 * DAY)
    assert list((late.began - START) / DAY) == [3.5, 4]
    assert int(late.is_change.sum()) == 0
    with pytest.raises(BadTerms, match="ends before it begins"):
        course_of(trace, START + DAY, START)
    with pytest.raises(BadTerms, match="Nothing happens"):
        course_of(trace, START - 9 * DAY, START - 8 * DAY)


def test_sources_of_a_site_are_related() -> None:
    names = ("https://A.example/x", "http://a.example/y", "Shop/Terms", "Shop/Privacy", "alone")
    assert list(related_numbers(names)) == [0, 0, 1, 1, 2]


def test_notices_come_before_what_is_decided_after_them() -> None:
    course = made_course([[20.5], [20.5]], days=60)
    at = course.at[course.is_change]
    told = replace(course, told_who=np.array([0]), told_at=at[:1])
    ended = run(told, catalogue.make("simple_notified"), Way(keeps_visits=True))
    assert ended.seen_at[told.is_change][0] < ended.seen_at[told.is_change][1]


def test_calibration_by_hand() -> None:
    calibration = Calibration()
    calibration.add(np.array([0.25, 0.25, 0.25, 0.25, np.nan]), np.array([True, False, False, False, True]))
    calibration.add(np.array([1.0]), np.array([True]))
    first, last = calibration.bins()
    assert (first.low, first.looks, first.said, first.happened) == (0.2, 4, 0.25, 0.25)
    assert (last.high, last.looks, last.happened) == (1.0, 1, 1.0)
    assert calibration.error == pytest.approx(0)
    assert calibration.log_loss == pytest.approx(-(np.log(0.25) + 3 * np.log(0.75)) / 5, abs=1e-5)


def test_true_chances_are_calibrated() -> None:
    """Sources that change as the literature thinks they do."""
    course = course_of(scenarios.make("poisson", sources=200, days=150))
    result = result_of(course, "cho_irregular", Way(visits_per_day=0.5))
    assert result.calibration_error is not None
    assert result.calibration_error < 0.05


@pytest.mark.parametrize("scenario", sorted(scenarios.SCENARIOS))
def test_scenarios_are_the_same_for_the_same_seed(scenario: str) -> None:
    one, same, other = (scenarios.make(scenario, sources=50, days=100, seed=seed) for seed in (3, 3, 4))
    assert (one.at == same.at).all()
    assert len(one.at) != len(other.at) or (one.at != other.at).any()
    assert one.at.min() == START
    assert one.at.max() <= START + 100 * DAY
    assert len(set(zip(one.who.tolist(), one.at.tolist(), strict=True))) == len(one.at)


def test_scenarios_have_bounds() -> None:
    with pytest.raises(NoSuchScenario, match="There are: bursts"):
        scenarios.make("chaos")
    for sources, days in ((0, 10), (10, 0), (10_000_000, 365)):
        with pytest.raises(BadTerms):
            scenarios.make("poisson", sources=sources, days=days)
