"""The documents' rules, by the documents' own examples where they have them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.prediction import catalogue
from ronda.prediction.contract import Terms
from ronda.prediction.errors import BadTerms, NoSuchPredictor
from ronda.prediction.predictors.exponential import Exponential
from ronda.prediction.scoring import score
from ronda.prediction.simulator import Way, run
from tests.prediction.telling import ONLY, begun, chance_at, look, made_course, next_day, notice, unhurried

DAYS = 241


def test_simple_grows_by_a_day_up_to_thirty_and_falls_back() -> None:
    simple = begun("simple")
    day = next_day(simple, 0)
    waits = [day]
    for _ in range(35):
        look(simple, day, changed=False)
        waits.append(next_day(simple, day) - day)
        day += waits[-1]
    assert waits == [*range(1, 31), *[30] * 6]
    look(simple, day, changed=True)
    assert next_day(simple, day) - day == 1


def test_simple_on_ten_silent_sites_as_printed() -> None:
    course = made_course([[]] * 10, DAYS)
    result = score(course, run(course, catalogue.make("simple")))
    assert (result.visits, result.changes, result.needless) == (210, 0, 210)


def test_simple_on_ten_sites_that_change_daily_as_printed() -> None:
    course = made_course([[day + 0.5 for day in range(DAYS)]] * 10, DAYS)
    result = score(course, run(course, catalogue.make("simple")))
    assert (result.visits, result.changes, result.missed, result.needless) == (2410, 2410, 0, 0)


@pytest.mark.parametrize(("days", "crawls"), [(15, 16), (30, 8)])
def test_fixed_frequencies_as_printed(days: int, crawls: int) -> None:
    course = made_course([[day + 0.5 for day in range(0, DAYS, 2)]], DAYS)
    assert score(course, run(course, catalogue.make(f"fixed:{days}"))).visits == crawls


@unhurried
@given(st.lists(st.booleans(), max_size=60))
def test_simple_loses_at_most_its_wait_less_one(changed_days: list[bool]) -> None:
    """The document's bound for at most one change a day: T / 24 - 1 between two looks."""
    changes = [day + 0.5 for day, is_changed in enumerate(changed_days) if is_changed]
    course = made_course([changes], 100)
    ended = run(course, catalogue.make("simple"), Way(keeps_visits=True))
    assert ended.log is not None
    looks = [course.began[0], *ended.log.at]
    for before, after in pairwise(looks):
        inside = int(((course.at > before) & (course.at <= after) & course.is_change).sum())
        assert max(inside - 1, 0) <= round((after - before) / 86400) - 1


def test_notices_reset_simple_and_are_asked_for_where_it_waits_long() -> None:
    notified = begun("simple_notified")
    day = 0.0
    while next_day(notified, day) - day <= 15:
        assert not notified.wants_notices(ONLY)[0]
        day = next_day(notified, day)
        look(notified, day, changed=False)
    assert notified.wants_notices(ONLY)[0]
    notice(notified, day + 2)
    assert next_day(notified, day + 2) == day + 2, "a day has passed since the last look: at once"
    simple = begun("simple")
    assert not simple.wants_notices(ONLY)[0]


def test_notices_reach_it_in_a_simulation() -> None:
    course = made_course([[100.5]], 200)
    at = course.at[course.is_change]
    told = type(course)(**{**vars(course), "told_who": ONLY, "told_at": at})
    alone = score(course, run(course, catalogue.make("simple_notified")))
    helped = score(told, run(told, catalogue.make("simple_notified")))
    assert alone.mean_delay_hours is not None
    assert helped.mean_delay_hours is not None
    assert helped.mean_delay_hours < 1 < alone.mean_delay_hours


@pytest.mark.parametrize(("share", "wait"), [(0, 6), (0.2, 5), (0.5, 4), (1, 1)])
def test_history_waits_by_the_share_of_last_years_days(share: float, wait: int) -> None:
    history = begun("history")
    period = round(1 / share) if share else 10_000
    for day in range(1, 31):
        look(history, day, changed=day % period == 0)
    # 0.5 lies between two steps of a day.
    assert (
        next_day(history, 30) - 30 in {wait, wait - 1} if share == 0.5 else next_day(history, 30) - 30 == wait
    )


def test_history_looks_at_the_same_days_a_year_ago() -> None:
    history = begun("history")
    for day in range(1, 430):
        look(history, day, changed=40 <= day < 70)
    # 2024 has 366 days: the thirty days before day 435 less a year are 40 to 69.
    look(history, 435, changed=False)
    assert next_day(history, 435) - 435 == 1
    look(history, 470, changed=False)
    assert next_day(history, 470) - 470 == 6


def test_daytype_learns_working_days() -> None:
    daytype = begun("daytype")
    for day in range(1, 15 * 7 + 1):
        look(daytype, day, changed=(day - 1) % 7 < 5)
    monday = 15 * 7.0
    assert chance_at(daytype, monday + 1) > 0.9
    look(daytype, monday + 5, changed=True)
    friday_evening = monday + 5
    assert chance_at(daytype, friday_evening + 2) < 0.2, "a weekend"
    assert next_day(daytype, friday_evening) == monday + 8, "after Monday"


def test_daytype_keeps_holidays_apart() -> None:
    daytype = begun("daytype", Terms(holidays=frozenset({"2024-01-10", "01-17"})))
    for day in range(1, 29):
        look(daytype, day, changed=day - 1 not in (9, 16) and (day - 1) % 7 < 5)
    assert daytype.shares[0, 2] < 0.3 < 0.8 < daytype.shares[0, 0]  # type: ignore[attr-defined]
    with pytest.raises(BadTerms, match="no holiday"):
        catalogue.make("daytype", Terms(holidays=frozenset({"Christmas"})))


@pytest.mark.parametrize(
    ("revisions", "sample", "span_days", "hours"),
    [(280, 28, 14, 12.0), (1350, 135, 13, 2.31), (20, 20, 10, 12)],
)
def test_exponential_as_printed(revisions: int, sample: int, span_days: float, hours: float) -> None:
    """Article A: 28 of 280 revisions in 14 days are a revision every 12 hours; article B: 135 of 1,350 in 13 days."""
    exponential = begun("exponential")
    early = revisions - sample
    days = [*np.linspace(1, 100, early), *np.linspace(200, 200 + span_days, sample)]
    for day in days:
        look(exponential, day, changed=True)
    assert isinstance(exponential, Exponential)
    assert float(exponential.interval[0]) / 3600 == pytest.approx(hours, rel=0.002)


@unhurried
@given(st.floats(0.1, 5), st.floats(0.1, 5))
def test_exponential_comes_sooner_to_what_changes_oftener(one: float, other: float) -> None:
    slow, fast = max(one, other), min(one, other)
    waits = []
    for gap in (slow, fast):
        exponential = begun("exponential")
        for count in range(1, 25):
            look(exponential, count * gap, changed=True)
        waits.append(next_day(exponential, 24 * gap) - 24 * gap)
    assert waits[1] <= waits[0] + 1e-9


def test_exponential_without_revisions_comes_daily_and_is_patient_with_silence() -> None:
    exponential = begun("exponential")
    look(exponential, 1, changed=False)
    assert next_day(exponential, 1) == 2
    look(exponential, 2, changed=True)
    look(exponential, 2 + 10, changed=True)
    assert next_day(exponential, 12) == 17, "two revisions in ten days, as printed"
    look(exponential, 17, changed=False)
    assert next_day(exponential, 17) == 22, "not at once again"


def test_fixed_takes_days() -> None:
    assert next_day(begun("fixed"), 0) == 1
    assert next_day(begun("fixed:0.5"), 0) == 0.5
    for wrong in ("fixed:0", "fixed:x", "fixed:nan", "fixed:-1"):
        with pytest.raises(BadTerms):
            catalogue.make(wrong)
    with pytest.raises(NoSuchPredictor, match="There are: azar"):
        catalogue.make("oracle")
