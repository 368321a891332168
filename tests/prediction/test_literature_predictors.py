"""Estimators and divisions of the literature, against their equations and against chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.prediction import catalogue
from ronda.prediction.contract import DAY, Terms
from ronda.prediction.rates import Forgetting, Waits, likeliest_rate, modified_rate, regular_rate
from ronda.prediction.simulator import Way, run
from ronda.prediction.values import (
    azar_rates,
    chance_of_change,
    follow_chances,
    greedy_value,
    lambda_rates,
    share_for_tellers,
    wait_for_value,
)
from tests.prediction.telling import begun, chance_at, look, made_course, next_day, unhurried

rates_and_weights = st.lists(st.tuples(st.floats(0.01, 20), st.floats(0.1, 10)), min_size=2, max_size=30)


def test_regular_estimator_by_hand() -> None:
    [rate] = regular_rate(np.array([10.0]), np.array([4.0]), np.array([DAY]))
    assert rate * DAY == pytest.approx(-np.log(6.5 / 10.5))
    [none, all_of_them] = regular_rate(np.array([10.0, 10.0]), np.array([0.0, 10.0]), np.array([DAY, DAY]))
    assert none == 0
    assert all_of_them * DAY == pytest.approx(np.log(21))


def test_modified_estimator_by_hand() -> None:
    looks, calm = np.array([10.0, 10.0, 10.0]), np.array([4.0, 4.0, 4.0]) * DAY
    few, none, all_of_them = modified_rate(looks, np.array([3.0, 0.0, 10.0]), calm) * DAY
    assert few == pytest.approx((2 - 3 / (10 * np.log(0.7))) / 4)
    assert none == 0
    assert all_of_them == pytest.approx(9 / 4)


@pytest.mark.parametrize("per_day", [0.2, 1.0, 3.0])
def test_estimators_are_about_right(per_day: float) -> None:
    """Twenty looks a day apart at many sources: mean estimate over truth, as the literature has it."""
    chance = np.random.default_rng(5)
    sources, looks = 4000, 20
    ages = chance.exponential(1 / per_day, (sources, looks))
    changed = ages < 1
    count = np.full(sources, float(looks))
    regular = regular_rate(count, changed.sum(axis=1).astype(float), np.full(sources, DAY)) * DAY
    calm = np.minimum(ages, 1).sum(axis=1) * DAY
    modified = modified_rate(count, changed.sum(axis=1).astype(float), calm) * DAY
    assert regular.mean() / per_day == pytest.approx(1.0, abs=0.06)
    assert modified.mean() / per_day == pytest.approx(1.0, abs=0.06)


@unhurried
@given(
    st.lists(st.tuples(st.floats(0.05, 30), st.booleans()), min_size=1, max_size=40),
)
def test_likeliest_rate_solves_its_equation(looks: list[tuple[float, bool]]) -> None:
    waits = Waits(1)
    for days, changed in looks:
        waits.learn(np.array([0]), np.array([days * DAY]), np.array([changed]))
    [rate] = likeliest_rate(*waits.of(np.array([0]))) * DAY
    if not 0.001 < rate < 90:
        return
    found = [days for days, changed in looks if changed] + [0.5]
    calm = sum(days for days, changed in looks if not changed) + 0.5
    # Waits of one bin differ by a quarter at most, and count by their mean.
    assert sum(days / np.expm1(rate * days) for days in found) == pytest.approx(calm, rel=0.05)


@pytest.mark.parametrize(("per_day", "every_days"), [(0.02, 3), (0.2, 0.5), (1, 0.5), (2, 0.2), (4, 0.3)])
def test_belief_comes_to_the_truth(per_day: float, every_days: float) -> None:
    chance = np.random.default_rng(7)
    sources = 300
    belief = Forgetting(sources)
    who = np.arange(sources)
    for _ in range(int(100 / every_days)):
        changed = chance.random(sources) < -np.expm1(-per_day * every_days)
        belief.learn(who, np.full(sources, every_days * DAY), changed.astype(float))
    assert float(belief.rate.mean()) * DAY / per_day == pytest.approx(1, abs=0.3)


def test_nutch_by_hand() -> None:
    nutch = begun("nutch")
    assert next_day(nutch, 0) == 1
    look(nutch, 1, changed=True)
    assert next_day(nutch, 1) - 1 == pytest.approx(0.8)
    look(nutch, 2, changed=False)
    assert next_day(nutch, 2) - 2 == pytest.approx(0.96)
    look(nutch, 12, changed=False, modified_day=2)
    assert next_day(nutch, 12) - 12 == pytest.approx(10 - 0.2 * 10), "the age, drawn back by a fifth of it"


def test_rates_of_extreme_histories_stay_within_bounds() -> None:
    waits = Waits(2)
    for days in (0.01, 400.0):
        waits.learn(np.arange(2), np.full(2, days * DAY), np.array([True, days < 1]))
    always, once = likeliest_rate(*waits.of(np.arange(2))) * DAY
    assert 0.0005 <= once < always <= 96


def test_cho_estimators_agree_on_a_regular_history() -> None:
    for name in ("cho_regular", "cho_irregular", "cho_modified"):
        cho = begun(name)
        for day in range(1, 201):
            look(cho, day, changed=day % 3 == 0, modified_day=day - 0.5 if day % 3 == 0 else np.nan)
        assert 2 < next_day(cho, 200) - 200 < 3.2, name
        assert chance_at(cho, 201) == pytest.approx(0.33, abs=0.06), name


@unhurried
@given(rates_and_weights, st.floats(0.1, 5))
def test_greedy_value_is_what_the_best_periodic_visits_share(
    pairs: list[tuple[float, float]], price: float
) -> None:
    """Where each waits until the value is the same, no visit can be moved to gain freshness."""
    rate, weight = (np.array(side) for side in zip(*pairs, strict=True))
    wait = wait_for_value(rate, weight, price)
    is_visited = np.isfinite(wait)
    assert (is_visited == (weight / rate > price)).all()
    if not is_visited.any():
        return
    rate, weight, wait = rate[is_visited], weight[is_visited], wait[is_visited]
    step = 1e-4

    def fresh(visits: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return weight * visits / rate * -np.expm1(-rate / visits)

    gain = (fresh(1 / wait * (1 + step)) - fresh(1 / wait * (1 - step))) / (2 * step / wait)
    assert gain == pytest.approx(np.full(len(gain), price), rel=0.01)


@unhurried
@given(rates_and_weights, st.floats(0.1, 50))
def test_azar_and_lambdacrawl_spend_the_budget_and_cannot_be_bettered(
    pairs: list[tuple[float, float]], budget: float
) -> None:
    rate, weight = (np.array(side) for side in zip(*pairs, strict=True))
    measures = {
        azar_rates: lambda visits: (weight * visits / (visits + rate)).sum(),
        lambda_rates: lambda visits: (weight * np.log(visits / (visits + rate))).sum(),
    }
    chance = np.random.default_rng(11)
    for divide, measure in measures.items():
        visits = divide(rate, weight, budget)
        assert visits.sum() == pytest.approx(budget, rel=1e-6)
        assert (visits >= 0).all()
        best = measure(np.maximum(visits, 1e-12))
        for _ in range(20):
            moved = np.maximum(visits * np.exp(chance.normal(0, 0.2, len(rate))), 1e-12)
            assert measure(moved * budget / moved.sum()) <= best + 1e-9


@unhurried
@given(rates_and_weights, st.floats(0.1, 50))
def test_notices_are_followed_as_far_as_the_budget_goes(
    pairs: list[tuple[float, float]], budget: float
) -> None:
    rate, weight = (np.array(side) for side in zip(*pairs, strict=True))
    follow = follow_chances(rate, weight, budget)
    assert ((follow >= 0) & (follow <= 1)).all()
    assert (follow * rate).sum() == pytest.approx(min(budget, rate.sum()), rel=1e-6)
    partly = follow < 1 - 1e-9
    if partly.sum() > 1:
        assert np.ptp((follow * rate / weight)[partly]) == pytest.approx(0, abs=1e-6), "shared by weight"


def test_a_budget_is_split_between_those_who_tell_and_the_others() -> None:
    rate, weight = np.array([1.0, 1.0, 1.0, 1.0]), np.ones(4)
    tells = np.array([True, True, False, False])
    reserved = share_for_tellers(rate, weight, tells, 2.0)

    def cost(share: float) -> float:
        visits = lambda_rates(rate[~tells], weight[~tells], 2.0 - share)
        told = np.log(follow_chances(rate[tells], weight[tells], share)).sum()
        return float(-told - np.log(visits / (visits + 1)).sum())

    assert cost(reserved) <= min(map(cost, np.linspace(0.05, 1.95, 50))) + 1e-3
    assert share_for_tellers(rate, weight, np.zeros(4, dtype=np.bool_), 2.0) == 0


def test_lambdacrawl_follows_notices_it_has_come_to_rely_on() -> None:
    """Of twenty sources ten tell of every change, the others of none."""
    course = made_course([[3.0 * n + number / 7 for n in range(1, 19)] for number in range(20)], 60)
    is_told = course.is_change & (course.who < 10)
    order = np.argsort(course.at[is_told])
    told = replace(course, told_who=course.who[is_told][order], told_at=course.at[is_told][order])
    ended = run(told, catalogue.make("lambdacrawl", Terms(visits_per_day=0.5)), Way(visits_per_day=0.5))
    delays = (np.minimum(ended.seen_at, told.end) - told.at) / DAY
    late = told.is_change & (told.at > told.start + 30 * DAY)
    assert delays[late & (told.who < 10)].mean() < 0.2 < delays[late & (told.who >= 10)].mean()


@unhurried
@given(st.floats(1e-8, 1e-3), st.floats(0, 1e7), st.floats(0, 1e7))
def test_value_and_chance_grow_with_time(rate: float, one: float, other: float) -> None:
    times = np.sort(np.array([one, other]))
    rates = np.full(2, rate)
    assert np.diff(chance_of_change(rates, times))[0] >= 0
    assert np.diff(greedy_value(rates, times, np.ones(2)))[0] >= -1e-9 / rate
