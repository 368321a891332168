"""Groups by frequency as the document has them, behaviours as scenarios are made."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ronda.prediction import catalogue, scenarios
from ronda.prediction.contract import DAY
from ronda.prediction.groups import Behaviour, Frequency, Profile, frequency_group, profile
from ronda.prediction.scenarios import START
from ronda.prediction.simulator import Way, run
from ronda.prediction.traces import course_of

SOURCES = 60


@pytest.mark.parametrize(
    ("share", "group"),
    [
        (0.0, Frequency.LOW),
        (0.39, Frequency.LOW),
        (0.4, Frequency.MEDIUM),
        (0.568, Frequency.MEDIUM),
        (0.7, Frequency.MEDIUM),
        (0.71, Frequency.HIGH),
        (1.0, Frequency.HIGH),
    ],
)
def test_groups_of_the_document(share: float, group: Frequency) -> None:
    assert frequency_group(share) == group


def test_share_is_days_with_a_change_by_days_observed() -> None:
    """137 of 241 days, as printed for one site: 0.568."""
    at = START + np.arange(242) * DAY
    changed = np.arange(242) % 241 >= 241 - 137
    seen = profile(at, changed)
    assert (seen.changes, seen.observed_days) == (137, 241)
    assert seen.share == pytest.approx(0.56846473)
    assert seen.frequency == Frequency.MEDIUM


def profiles(scenario: str, days: int) -> list[Profile]:
    """By daily looks."""
    course = course_of(scenarios.make(scenario, sources=SOURCES, days=days), end=START + days * DAY)
    log = run(course, catalogue.make("fixed"), Way(keeps_visits=True)).log
    assert log is not None
    found = []
    for number in range(SOURCES):
        is_one = log.who == number
        at = np.concatenate([course.began[number : number + 1], log.at[is_one]])
        found.append(profile(at, np.concatenate([[False], log.changed[is_one]])))
    return found


@pytest.mark.parametrize(
    ("scenario", "behaviour", "share"),
    [
        ("poisson", Behaviour.STEADY, 0.9),
        ("coinflips", Behaviour.STEADY, 0.95),
        ("workdays", Behaviour.WORKING_DAY, 0.9),
        ("halfdays", Behaviour.WORKING_DAY, 0.95),
        ("bursts", Behaviour.BURSTY, 0.75),
        ("seasons", Behaviour.SEASONAL, 0.55),
    ],
)
def test_behaviours_are_recognised(scenario: str, behaviour: Behaviour, share: float) -> None:
    """Of sources that were seen to change twenty times in two years; fast ones are always changing by daily looks."""
    seen = [one for one in profiles(scenario, days=730) if one.changes >= 20 and one.share < 0.9]
    assert len(seen) >= SOURCES / 3
    counts = Counter(one.behaviour for one in seen)
    assert counts[behaviour] >= share * len(seen), counts


def test_dead_and_silent_sources_are_silent() -> None:
    at = START + np.arange(200) * DAY
    assert profile(at, np.zeros(200, dtype=np.bool_)).behaviour == Behaviour.SILENT
    assert profile(at, np.arange(200) < 60).behaviour == Behaviour.SILENT
    assert profile(at, np.arange(200) % 2 == 1).behaviour == Behaviour.STEADY


def test_a_source_whose_pace_changed_is_erratic() -> None:
    at = START + np.arange(300) * DAY
    day = np.arange(300)
    changed = np.where(day < 150, day % 9 == 0, day % 3 == 0)
    assert profile(at, changed).behaviour == Behaviour.ERRATIC


@pytest.mark.parametrize("looks", [0, 1, 2, 4, 13])
def test_of_little_nothing_is_said(looks: int) -> None:
    seen = profile(START + np.arange(looks) * DAY, np.ones(looks, dtype=np.bool_))
    assert seen.behaviour is None
    assert 0 <= seen.share <= 1


def test_years_of_frequent_looks_can_be_counted() -> None:
    at = START + np.arange(20_000) * DAY / 4
    changed = (np.floor(np.arange(20_000) / 4) % 7 < 5) & (np.arange(20_000) % 2 == 1)
    assert profile(at, changed).behaviour == Behaviour.WORKING_DAY
