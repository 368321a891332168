"""Settings a director changes: parsed, capped, on record."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pytest_django import DjangoAssertNumQueries

from ronda.accounts.roles import Role
from ronda.errors import Forbidden, InvalidInput
from ronda.policies import queries
from ronda.policies.errors import NoSuchPolicy
from ronda.policies.models import PolicyChange
from ronda.policies.registry import Kind, Policy, policy_named
from ronda.policies.services import change_setting
from tests.people import person_with


@pytest.mark.django_db
def test_change_is_on_record_with_who_and_why() -> None:
    director = person_with(Role.DIRECTOR)
    changed = change_setting(actor=director, name="job_keep_days", value=30, note="disk is small")
    assert changed.value == 30
    change = PolicyChange.objects.get()
    assert (change.former, change.value, change.note, change.changed_by) == (
        "90",
        "30",
        "disk is small",
        director,
    )
    change_setting(actor=director, name="job_keep_days", value="30")
    assert PolicyChange.objects.count() == 1
    change_setting(actor=director, name="job_keep_days", value=31)
    assert queries.setting(actor=director, name="job_keep_days").value == 31
    assert [c.value for c in queries.changes(actor=director)] == ["31", "30"]


@pytest.mark.django_db
def test_others_may_not_and_unknown_ones_do_not_exist() -> None:
    client, director = person_with(Role.CLIENT), person_with(Role.DIRECTOR, email="d@example.org")
    for call in (
        lambda: queries.settings(actor=client),
        lambda: change_setting(actor=client, name="job_keep_days", value=1),
    ):
        with pytest.raises(Forbidden):
            call()
    with pytest.raises(NoSuchPolicy):
        change_setting(actor=director, name="job_keep_dyas", value=1)
    for value in ("many", 0, 5000, 3.5, True, [], "\0"):
        with pytest.raises(InvalidInput):
            change_setting(actor=director, name="job_keep_days", value=value)
    assert not PolicyChange.objects.exists()


def _policy(kind: Kind, **more: object) -> Policy:
    return Policy(name="p", group="", title="", meaning="", kind=kind, default=0, **more)  # type: ignore[arg-type]


def test_values_of_every_kind() -> None:
    assert _policy(Kind.YES_NO).parse("Yes") is True
    assert _policy(Kind.AMOUNT, low=0, high=100).parse("8.40") == Decimal("8.40")
    assert _policy(Kind.ONE_OF, choices=("a", "b")).parse("b") == "b"
    assert _policy(Kind.SOME_OF, choices=("a", "b", "c")).parse(["c", "a"]) == "a c"
    assert _policy(Kind.SOME_OF, choices=("a", "b")).parse("") == ""
    for kind, value in (
        (Kind.YES_NO, "perhaps"),
        (Kind.AMOUNT, "nan"),
        (Kind.ONE_OF, "z"),
        (Kind.SOME_OF, "a z"),
    ):
        with pytest.raises(InvalidInput):
            _policy(kind, choices=("a",), low=0, high=9).parse(value)


@pytest.mark.django_db
def test_policies_read_at_once_stay_as_they_were_within(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    policy = policy_named("job_keep_days")
    assert policy
    with queries.read_at_once():
        with django_assert_num_queries(0):
            assert queries.value_of(policy) == 90
        change_setting(actor=person_with(Role.DIRECTOR), name="job_keep_days", value=30)
        assert queries.value_of(policy) == 90
    assert queries.value_of(policy) == 30
    with queries.read_at_once():
        assert queries.value_of(policy) == 30
