"""Visits a day over all sources: spread over the day, the most urgent first, nobody forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.policies.services import change_setting
from ronda.rounds import budget, visiting
from ronda.rounds.models import Source, Visit, VisitBudget
from tests.people import person_with
from tests.rounds.sources import followed, visited

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture
def ana(db: None) -> Person:
    return person_with(Role.DIRECTOR, Role.SUBSCRIBER)


def due(
    ana: Person, number: int, *, hours: float = 24, chance: float | None = 0.5, weight: float = 1
) -> Source:
    """Visited so long ago, planned for half of that time."""
    source = followed(ana, f"https://site{number}.example/", weight=weight)
    now = timezone.now()
    visited(source, "unchanged", now - timedelta(hours=hours))  # type: ignore[arg-type]
    Source.objects.filter(pk=source.pk).update(
        visited_at=now - timedelta(hours=hours),
        next_visit_at=now - timedelta(hours=hours / 2),
        next_visit_chance=chance,
    )
    return source


def opened() -> set[str]:
    return {visit.source.url for visit in Visit.objects.filter(state="probing").select_related("source")}


def allow(ana: Person, visits_per_day: int, now_allowed: float) -> None:
    change_setting(actor=ana, name="visits_per_day", value=visits_per_day)
    VisitBudget.objects.create(pk=1, allowance=now_allowed, counted_at=timezone.now())


def test_without_a_budget_all_that_is_due(ana: Person) -> None:
    for number in range(5):
        due(ana, number)
    assert visiting.open_due_visits() == 5


def test_the_most_urgent_first(ana: Person) -> None:
    due(ana, 1, chance=0.1)
    due(ana, 2, chance=0.9)
    due(ana, 3, chance=0.1, weight=50)
    due(ana, 4, chance=None)
    allow(ana, 240, 2.5)
    assert visiting.open_due_visits() == 2
    assert opened() == {"https://site2.example/", "https://site3.example/"}
    assert visiting.open_due_visits() == 0, "the budget is used up"
    assert VisitBudget.objects.get().allowance < 1


def test_who_waits_for_too_long_goes_first(ana: Person) -> None:
    due(ana, 1, chance=0.9)
    due(ana, 2, chance=0.001, hours=31 * 24)
    allow(ana, 24, 1)
    visiting.open_due_visits()
    assert opened() == {"https://site2.example/"}


def test_first_visits_do_not_wait_but_count(ana: Person) -> None:
    for number in range(3):
        followed(ana, f"https://new{number}.example/")
    due(ana, 1)
    allow(ana, 24, 1)
    assert visiting.open_due_visits() == 3
    assert "https://site1.example/" not in opened()
    assert VisitBudget.objects.get().allowance < 0


def test_a_day_has_as_many_as_were_set() -> None:
    """Whatever is opened when: over a day, no more than the day's and what was saved."""
    allowance, opened_visits, now = 0.0, 0, NOON
    for _ in range(24 * 60):
        allowance = budget.filled(allowance, seconds=60, per_day=48)
        opened_visits += int(allowance)
        allowance -= int(allowance)
        now += timedelta(minutes=1)
    assert opened_visits in (47, 48)


@given(st.floats(-1e4, 1e4), st.floats(-10, 1e6), st.integers(1, 10**6))
def test_what_is_saved_is_bounded(allowance: float, seconds: float, per_day: int) -> None:
    filled = budget.filled(allowance, seconds=seconds, per_day=per_day)
    assert -per_day <= filled <= max(1.0, per_day / 24)


def test_no_budget_no_row(ana: Person) -> None:
    assert budget.allowance(NOON) is None
    assert not VisitBudget.objects.exists()
    change_setting(actor=ana, name="visits_per_day", value=2400)
    assert budget.allowance(NOON) == 1
    assert budget.allowance(NOON + timedelta(minutes=30)) == 51
    assert budget.allowance(NOON + timedelta(days=9)) == 100, "an hour's worth is saved, not days"
    budget.spend(100)
    change_setting(actor=ana, name="visits_per_day", value=86_400)
    assert budget.allowance(NOON + timedelta(days=9, seconds=5)) == 0, "those of ten seconds go together"
    assert budget.allowance(NOON + timedelta(days=9, seconds=11)) == 11
