"""Changes nobody saw are estimated, and the estimate is honest."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.rounds.losses import Look, expected, lost, rate_per_day

LOOKS = st.lists(st.builds(Look, st.floats(0.01, 60), st.booleans()), max_size=60)


def seen(rate: float, days: list[float], chance: random.Random) -> tuple[list[Look], int]:
    """Looks at something that changes at a rate, and how many changes there were beyond those that looks found."""
    looks, hidden = [], 0
    for wait in days:
        at, number = chance.expovariate(rate), 0
        while at < wait:
            number += 1
            at += chance.expovariate(rate)
        looks.append(Look(wait, number > 0))
        hidden += max(0, number - 1)
    return looks, hidden


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0, 2.0])
def test_as_many_as_there_were(rate: float) -> None:
    chance = random.Random(7)
    days = [chance.choice([0.5, 1.0, 2.0, 3.0]) for _ in range(3000)]
    looks, hidden = seen(rate, days, chance)
    assert rate_per_day(looks) == pytest.approx(rate, rel=0.1)
    assert lost(looks) == pytest.approx(hidden, rel=0.15)


def test_worked_examples() -> None:
    assert expected(1.0) == pytest.approx(1 / (1 - math.exp(-1)))
    assert expected(0.0) == 1.0
    assert lost([]) == 0
    assert lost([Look(1, False)] * 50) == 0, "who never saw a change does not invent one"
    often = lost([Look(1, True)] * 20)
    assert 20 < often < 120, "always another page: there were more changes than visits, nobody knows how many"


@given(LOOKS)
def test_bounds(looks: list[Look]) -> None:
    assert 0 < rate_per_day(looks) < 50
    assert 0 <= lost(looks) < math.inf


@given(LOOKS, st.floats(0.01, 30))
def test_one_more_quiet_look_means_fewer_lost(looks: list[Look], days: float) -> None:
    assert lost([*looks, Look(days, False)]) <= lost(looks) + 1e-6
