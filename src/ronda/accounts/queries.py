"""What can be asked about people and tokens."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from ronda.accounts.errors import NoSuchPerson
from ronda.accounts.models import ApiToken, Person
from ronda.accounts.policies import REGISTRATION_IS_OPEN
from ronda.accounts.roles import Role, require
from ronda.policies.queries import value_of


def people(*, actor: Person | None, search: str = "", role: Role | None = None) -> QuerySet[Person]:
    require(actor, Role.ADMINISTRATOR)
    found = Person.objects.prefetch_related("grants")
    if search:
        found = found.filter(Q(email__icontains=search) | Q(name__icontains=search))
    if role:
        found = found.filter(grants__role=role)
    return found


def person(*, actor: Person | None, person_id: int) -> Person:
    found = people(actor=actor).filter(pk=person_id).first()
    if found is None:
        raise NoSuchPerson()
    return found


def tokens_of(*, actor: Person | None, person_id: int) -> QuerySet[ApiToken]:
    """Somebody's tokens that still work, for an administrator."""
    return person(actor=actor, person_id=person_id).tokens.filter(revoked_at=None)


def tokens(*, actor: Person | None) -> QuerySet[ApiToken]:
    """One's own tokens that still work."""
    return require(actor).tokens.filter(revoked_at=None)


def is_registration_open() -> bool:
    return bool(value_of(REGISTRATION_IS_OPEN))
