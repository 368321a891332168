"""A director changes a policy."""

from __future__ import annotations

from django.db import connection, transaction

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.policies.errors import NoSuchPolicy
from ronda.policies.models import PolicyChange
from ronda.policies.queries import Setting, setting, value_of
from ronda.policies.registry import policy_named


def change_setting(*, actor: Person | None, name: str, value: object, note: str = "") -> Setting:
    """Set a policy; who, when, before and why stay on record. The same value again changes nothing."""
    director = require(actor, Role.DIRECTOR)
    policy = policy_named(name)
    if policy is None:
        raise NoSuchPolicy()
    if len(note) > 200 or "\0" in note:
        raise InvalidInput("A reason has at most 200 characters.", field="note")
    parsed = policy.parse(value)
    with transaction.atomic():
        with connection.cursor() as cursor:
            # One at a time per name, or two changes could both note the same "before".
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"policy:{name}"])
        former = value_of(policy)
        if parsed != former:
            PolicyChange.objects.create(
                name=name, value=str(parsed), former=str(former), note=note.strip(), changed_by=director
            )
    return setting(actor=actor, name=name)
