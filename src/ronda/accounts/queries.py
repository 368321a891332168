"""What can be asked about people and tokens."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from ronda.accounts.errors import NoSuchPerson
from ronda.accounts.models import ApiToken, Person
from ronda.accounts.roles import Role, require


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


def tokens(*, actor: Person | None) -> QuerySet[ApiToken]:
    """One's own tokens that still work."""
    return require(actor).tokens.filter(revoked_at=None)
