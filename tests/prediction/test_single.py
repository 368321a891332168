"""A source that is really followed: its own looks in, the next visit and why out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ronda.prediction import catalogue
from ronda.prediction.contract import Terms
from ronda.prediction.single import Followed, Observation, outlook, outlooks

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


def looks(count: int, every: timedelta, changes_every: int) -> list[Observation]:
    return [Observation(MONDAY + every * n, n % changes_every == 0) for n in range(count)]


def test_simple_by_hand() -> None:
    seen = [
        Observation(MONDAY, changed=False),
        Observation(MONDAY + timedelta(days=1), changed=True),
        Observation(MONDAY + timedelta(days=2), changed=False),
        Observation(MONDAY + timedelta(days=4), changed=False),
    ]
    now = MONDAY + timedelta(days=5)
    found = outlook("simple", seen, now=now)
    assert found.next_visit == MONDAY + timedelta(days=7)
    assert found.chance is None
    assert str(found.reason) == "Looks in a row that found nothing: 2. Again after 3 days."
    notices = [MONDAY + timedelta(days=4, hours=12)]
    assert outlook("simple_notified", seen, notices, now=now).next_visit == now
    assert outlook("simple", seen, notices, now=now).next_visit == found.next_visit


def test_what_lies_after_now_is_not_heard() -> None:
    seen = looks(20, timedelta(days=1), 2)
    now = seen[9].at
    assert outlook("greedy", seen, now=now) == outlook("greedy", seen[:10], now=now)


@pytest.mark.parametrize("name", catalogue.names())
def test_every_predictor_has_an_outlook(name: str) -> None:
    seen = looks(60, timedelta(hours=20), 3)
    now = seen[-1].at + timedelta(hours=1)
    found = outlook(name, seen, [now - timedelta(minutes=5)], now=now, terms=Terms(visits_per_day=2))
    assert found.next_visit >= now
    assert found.chance is None or 0 <= found.chance <= 1
    assert str(found.reason)


def test_never_looked_at_is_due_now() -> None:
    found = outlook("greedy", [], [MONDAY], now=MONDAY)
    assert (found.next_visit, found.chance) == (MONDAY, None)
    assert str(found.reason) == "It has not been looked at yet."


def test_several_at_once_as_each_alone() -> None:
    """Also with looks at the same moment, and sources that begin later."""
    sources = [
        Followed(looks(30, timedelta(days=1), 2)),
        Followed(looks(10, timedelta(days=3), 5), [MONDAY + timedelta(days=4)]),
        Followed([]),
        Followed(looks(20, timedelta(days=1), 2)[5:], related=1, weight=2.0),
    ]
    now = MONDAY + timedelta(days=31)
    together = outlooks("cho_irregular", sources, now=now)
    for source, found in zip(sources, together, strict=True):
        assert found == outlook("cho_irregular", source.observations, source.notices, now=now)
