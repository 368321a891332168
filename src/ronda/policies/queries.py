"""What the policies are now, and how they came to be."""

from __future__ import annotations

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


def value_of(policy: Policy) -> Value:
    """The present value, for the rooms' services: asked often, needs no role."""
    newest = PolicyChange.objects.filter(name=policy.name).values_list("value", flat=True).first()
    return policy.default if newest is None else policy.parse(newest)


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
