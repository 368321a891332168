"""What the policies are now, and how they came to be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.db.models import QuerySet

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.policies.errors import NoSuchPolicy
from ronda.policies.models import PolicyChange
from ronda.policies.registry import Policy, Value, all_policies, policy_named


@dataclass(frozen=True)
class Setting:
    """A policy with its present value and the change that set it (None: the default)."""

    policy: Policy
    value: Value
    change: PolicyChange | None


_read: ContextVar[dict[str, str] | None] = ContextVar("policies_read", default=None)


def value_of(policy: Policy) -> Value:
    """The present value, for the rooms' services: asked often, needs no role."""
    read = _read.get()
    if read is None:
        newest = PolicyChange.objects.filter(name=policy.name).values_list("value", flat=True).first()
    else:
        newest = read.get(policy.name)
    return policy.default if newest is None else policy.parse(newest)


@contextmanager
def read_at_once() -> Iterator[None]:
    """All of them in one statement, for short work that asks for many: within, they stay as they are now."""
    newest = PolicyChange.objects.order_by("name", "-id").distinct("name").values_list("name", "value")
    token = _read.set(dict(newest))
    try:
        yield
    finally:
        _read.reset(token)


def settings(*, actor: Person | None) -> list[Setting]:
    require(actor, Role.DIRECTOR)
    newest = {
        change.name: change
        for change in PolicyChange.objects.order_by("name", "-id")
        .distinct("name")
        .select_related("changed_by")
    }
    return [_setting(policy, newest.get(policy.name)) for policy in all_policies()]


def setting(*, actor: Person | None, name: str) -> Setting:
    require(actor, Role.DIRECTOR)
    policy = policy_named(name)
    if policy is None:
        raise NoSuchPolicy()
    return _setting(policy, PolicyChange.objects.filter(name=name).select_related("changed_by").first())


def _setting(policy: Policy, change: PolicyChange | None) -> Setting:
    return Setting(policy, policy.default if change is None else policy.parse(change.value), change)


def changes(*, actor: Person | None) -> QuerySet[PolicyChange]:
    require(actor, Role.DIRECTOR)
    return PolicyChange.objects.select_related("changed_by")
