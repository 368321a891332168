"""Our own predictor: what it learns, and that it learns it from its looks alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.prediction import catalogue, scenarios
from ronda.prediction.calibration import Calibration
from ronda.prediction.contract import DAY, FRESHNESS, HOUR, VERSIONS, Fleet, Looks, Terms
from ronda.prediction.errors import BadTerms
from ronda.prediction.learning import explaining
from ronda.prediction.learning.trust import Trust
from ronda.prediction.predictors.ronda import LONGEST_SECONDS, SHORTEST_SECONDS, Ronda, make
from ronda.prediction.scenarios import START
from ronda.prediction.scoring import Score, score
from ronda.prediction.simulator import Way, run
from ronda.prediction.traces import course_of
from tests.prediction.telling import chance_at, look, next_day, notice, unhurried

ONE_SITE = np.zeros(2, dtype=np.int64)


def alone(terms: Terms | None = None) -> Ronda:
    predictor = make(terms or Terms())
    predictor.begin(Fleet(np.array([START]), np.array([0]), np.ones(1)))
    return predictor


def of_sources(related: np.ndarray, weight: np.ndarray | None = None, objective: float = VERSIONS) -> Ronda:
    predictor = make(Terms(objective=objective))
    size = len(related)
    predictor.begin(Fleet(np.full(size, START), related, np.ones(size) if weight is None else weight))
    return predictor


def tell(predictor: Ronda, who: list[int], day: float, changed: list[bool]) -> None:
    at = np.full(len(who), START + day * DAY)
    predictor.look(Looks(np.array(who), at, np.array(changed), np.full(len(who), np.nan)))


def judged(scenario: str, name: str, visits_per_day: float, objective: float = VERSIONS) -> Score:
    course = course_of(scenarios.make(scenario, sources=40, days=120, seed=5))
    terms = Terms(objective, visits_per_day)
    return score(course, run(course, catalogue.make(name, terms), Way(visits_per_day, step_seconds=2 * HOUR)))


@pytest.mark.parametrize("every", [2, 5, 10])
def test_the_rate_of_a_steady_source_is_found(every: int) -> None:
    chance = np.random.default_rng(every)
    predictor = alone()
    for day in range(1, 300):
        look(predictor, day, bool(chance.random() < 1 - np.exp(-1 / every)))
    assert chance_at(predictor, 299 + every) == pytest.approx(1 - np.exp(-1), abs=0.15)


@unhurried
@given(every=st.integers(1, 12))
def test_who_changes_more_often_is_not_visited_later(every: int) -> None:
    def wait(weeks: int) -> float:
        """Looked at weekly, so that no day of the week stands out, and changed steadily every so many weeks."""
        predictor = alone()
        for week in range(1, 10 * weeks + 1):
            look(predictor, 7 * week, week % weeks == 0)
        return next_day(predictor, 70 * weeks) - 70 * weeks

    assert wait(every) <= wait(every + 1) + 1e-6


@unhurried
@given(st.lists(st.tuples(st.floats(0.05, 60), st.booleans()), max_size=30))
def test_visits_stay_between_an_hour_and_thirty_days(history: list[tuple[float, bool]]) -> None:
    predictor, day = alone(), 0.0
    for gap, changed in history:
        day += gap
        look(predictor, day, changed)
    wait = (next_day(predictor, day) - day) * DAY
    assert SHORTEST_SECONDS - 1 <= wait <= LONGEST_SECONDS + 1


def test_silent_sources_are_hardly_bothered() -> None:
    predictor, day, visits = alone(), 0.0, 0
    while day < 365:
        day = next_day(predictor, day)
        look(predictor, day, False)
        visits += 1
    assert visits < 20
    assert str(predictor.reason(0, START + day * DAY)) == explaining.NEVER


def test_a_burst_brings_it_back_sooner_than_the_rate_alone() -> None:
    calm, bursting = alone(), alone()
    for predictor in (calm, bursting):
        for day in range(1, 300):
            look(predictor, day, day % 20 == 0)
    for hours in (1, 2, 3):
        look(bursting, 299 + hours / 24, True)
    assert next_day(bursting, 299.2) - 299.125 < 0.25 * (next_day(calm, 299) - 299)
    assert bursting.reason(0, START + 299.2 * DAY).text == explaining.BURST
    # It passes: after calm days it comes as rarely as before.
    for day in range(300, 320):
        look(bursting, day, False)
        look(calm, day, False)
    assert next_day(bursting, 319) - 319 > 0.5 * (next_day(calm, 319) - 319)


def test_a_burst_is_not_given_up_for_freshness() -> None:
    """What changed just now is probably stale again, and to be held once the burst is over."""
    predictor = of_sources(np.array([0, 1]), objective=FRESHNESS)
    for day in range(1, 300):
        tell(predictor, [0, 1], day, [day % 20 == 0] * 2)
    for hours in (1, 2, 3):
        tell(predictor, [0, 1], 299 + hours / 24, [True, False])
    for later in (0.25, 3.0, 10.0, 20.0):
        bursting, calm = predictor.urgency(START + (299.125 + later) * DAY)
        assert bursting > calm


@given(st.lists(st.tuples(st.floats(0.1, 9), st.booleans()), max_size=12))
@unhurried
def test_for_freshness_a_look_is_worth_the_more_the_longer_it_is_waited_for(
    history: list[tuple[float, bool]],
) -> None:
    predictor, day = alone(Terms(objective=FRESHNESS)), 0.0
    for waited, changed in history:
        day += waited
        look(predictor, day, changed)
    worth = [float(predictor.urgency(START + (day + wait) * DAY)[0]) for wait in (0.1, 0.5, 2, 7, 30)]
    assert all(late >= 0.99 * early for early, late in pairwise(worth))


def test_weekday_mornings_are_learnt_and_said() -> None:
    predictor = alone()
    for hour in range(0, 24 * 70, 3):
        is_morning = hour % 24 == 9 and hour // 24 % 7 < 5
        look(predictor, (hour + 3) / 24, is_morning)
    # Monday at ten o'clock has brought more than all of Sunday.
    monday = 70.0
    assert chance_at(predictor, monday + 13 / 24) > 0.6
    assert chance_at(predictor, monday + 3 / 24) < 0.1
    why = predictor.reason(0, START + monday * DAY)
    assert why.text == explaining.WORKING_DAYS[1]
    assert "weekday mornings" in str(why)
    assert float(why.values["percent"]) > 20


def test_a_change_on_a_page_is_believed_of_its_site_where_they_go_together() -> None:
    together, apart = of_sources(ONE_SITE), of_sources(ONE_SITE)
    for day in range(10, 1200, 10):
        # Both pages of one site change every fifty days: of the other site at different times.
        for predictor, moment in ((together, 0), (apart, 20)):
            tell(predictor, [0], day, [day % 50 == 0])
            tell(predictor, [1], day + 0.1, [day % 50 == moment])
    for predictor in (together, apart):
        tell(predictor, [0], 1200.0, [True])
    then = np.array([START + 1200.05 * DAY])
    assert together.chance(np.array([1]), then)[0] > 0.5
    assert apart.chance(np.array([1]), then)[0] < 0.3
    assert together.reason(1, float(then[0])).text == explaining.ALONG


def test_what_did_not_help_to_foresee_is_hardly_believed() -> None:
    trust = Trust()
    helps, doubts = np.array([0.5, 0.1]), np.array([0.3, 0.3])
    found = np.array([True, False])
    trust.see(helps, doubts, found)
    assert trust.share > Trust().share
    for _ in range(50):
        trust.see(helps, doubts, ~found)
    assert trust.share < 0.05
    # A mind can be changed, however long it was made up.
    for _ in range(20):
        trust.see(helps, doubts, found)
    assert trust.share > 0.6


def test_notices_are_believed_as_far_as_they_came_true() -> None:
    honest, liar = alone(), alone()
    for day in range(10, 300, 10):
        for predictor in (honest, liar):
            notice(predictor, day - 1)
            look(predictor, day, predictor is honest)
    for predictor in (honest, liar):
        # Both have been silent since, whatever was said before.
        for day in range(300, 400, 10):
            look(predictor, day, False)
        notice(predictor, 391)
    assert chance_at(honest, 391.1) > 0.5 > chance_at(liar, 391.1)
    assert honest.reason(0, START + 391.1 * DAY).text == explaining.TOLD


def test_a_date_tells_a_change_long_ago_from_a_fresh_one() -> None:
    long_ago, fresh = alone(), alone()
    for day in range(10, 200, 10):
        look(long_ago, day, True, modified_day=day - 9.9)
        look(fresh, day, True, modified_day=day - 0.1)
    assert chance_at(fresh, 191) > chance_at(long_ago, 191)


def test_a_weight_makes_a_source_more_urgent() -> None:
    predictor = of_sources(ONE_SITE, np.array([1.0, 3.0]))
    light, heavy = predictor.urgency(START + 2 * DAY)
    assert heavy == pytest.approx(3 * light)
    soon, sooner = predictor.next_visit(np.array([0, 1]), START)
    assert sooner < soon


def test_a_lower_price_means_more_visits() -> None:
    waits = [next_day(alone(Terms(argument=price)), 0) for price in ("0.02", "0.1", "0.5")]
    assert waits == sorted(waits)
    for wrong in ("many", "0", "2"):
        with pytest.raises(BadTerms, match="between 0 and 1"):
            make(Terms(argument=wrong))


def test_new_sources_are_taken_for_what_the_others_are() -> None:
    predictor = of_sources(np.arange(60))
    for day in range(10, 100, 10):
        tell(predictor, list(range(59)), day, [False] * 59)
    newcomer = np.array([59])
    fresh = of_sources(np.arange(1))
    assert (
        predictor.chance(newcomer, np.array([START + DAY]))[0]
        < fresh.chance(np.array([0]), np.array([START + DAY]))[0]
    )


@pytest.mark.parametrize("scenario", ["poisson", "bursts", "dying", "workdays", "mixed"])
def test_keeps_more_versions_than_evenly_spread_visits(scenario: str) -> None:
    ours, evenly = judged(scenario, "ronda", 0.5), judged(scenario, "fixed", 0.5)
    assert ours.captured > 1.1 * evenly.captured


@pytest.mark.parametrize(
    ("visits_per_day", "objective"), [(0.5, FRESHNESS), (2.0, VERSIONS), (2.0, FRESHNESS)]
)
def test_where_nothing_can_be_learnt_it_is_hardly_worse_than_evenly_spread_visits(
    visits_per_day: float, objective: float
) -> None:
    ours = judged("coinflips", "ronda", visits_per_day, objective)
    evenly = judged("coinflips", "fixed", visits_per_day)
    assert ours.captured > 0.97 * evenly.captured or objective == FRESHNESS
    assert ours.freshness > 0.97 * evenly.freshness or objective == VERSIONS


def test_without_a_rhythm_clocks_are_everybodys_and_with_one_their_own() -> None:
    chance = np.random.default_rng(3)
    flat, rhythmic = of_sources(np.arange(20)), of_sources(np.arange(20))
    for number in range(1, 60 * 4):
        hour = 6 * number % 24
        tell(flat, list(range(20)), number / 4, list(chance.random(20) < 0.15))
        tell(rhythmic, list(range(20)), number / 4, list(chance.random(20) < (0.55 if hour == 12 else 0.02)))
    assert flat.rhythm.trust.share < 0.5
    assert rhythmic.rhythm.trust.share > 0.9


def test_where_nobody_bursts_a_change_is_not_taken_for_one() -> None:
    """Looks six hours apart, a tenth of which find a change by chance alone: so does the one after a find."""
    chance, who = np.random.default_rng(4), np.arange(30)
    predictor = of_sources(who)
    for number in range(1, 4 * 60):
        tell(predictor, list(who), number / 4, list(chance.random(30) < 0.1))
    tell(predictor, list(who), 60.0, [True] * 30)
    assert predictor.chance(who, np.full(30, START + 60.25 * DAY)).mean() == pytest.approx(0.1, abs=0.05)


def test_a_source_is_not_leant_on_itself() -> None:
    """A fleet of one knows no more of its source than the source's own looks say."""
    predictor = alone()
    for day in range(1, 60):
        look(predictor, day, day % 3 == 0)
    thought, own = (
        predictor.chain.belief(spectra.astype(np.float64)) for spectra in (predictor.spectra, predictor.own)
    )
    assert thought == pytest.approx(own, abs=0.1)


@pytest.mark.parametrize("scenario", ["poisson", "mixed"])
def test_is_fresher_than_evenly_spread_visits(scenario: str) -> None:
    ours = judged(scenario, "ronda", 0.5, FRESHNESS)
    evenly = judged(scenario, "fixed", 0.5)
    assert ours.freshness > evenly.freshness


@pytest.mark.parametrize("scenario", ["poisson", "workdays", "mixed"])
def test_what_it_says_is_what_happens(scenario: str) -> None:
    ours = judged(scenario, "ronda", 0.5, FRESHNESS)
    assert ours.calibration_error is not None
    assert ours.calibration_error < 0.06
    for one in ours.calibration:
        if one.looks >= 150:
            assert one.said == pytest.approx(one.happened, abs=0.13)


@pytest.mark.parametrize("scenario", ["workdays", "bursts", "mixed"])
def test_says_it_better_than_a_rate_alone(scenario: str) -> None:
    """Both are told the same looks, at any hour, about a day apart."""
    course = course_of(scenarios.make(scenario, sources=30, days=120, seed=5))
    lost = {}
    for name in ("ronda", "greedy"):
        predictor, said = catalogue.make(name, Terms()), Calibration()
        predictor.begin(Fleet(course.began, course.related, np.ones(30)))
        chance, held = np.random.default_rng(1), course.first.copy()
        for day in range(1, 115):
            at = START + (day + chance.random(30) * 0.9) * DAY
            now = (
                np.array([np.searchsorted(course.at[course.who == n], at[n], "right") for n in range(30)]) - 1
            )
            now += course.first
            looks = Looks(np.arange(30), at, now != held, np.full(30, np.nan))
            said.add(predictor.chance(looks.who, at), looks.changed)
            predictor.look(looks)
            held = now
        lost[name] = said.log_loss
    ours, theirs = lost["ronda"], lost["greedy"]
    assert ours is not None
    assert theirs is not None
    assert ours < theirs
