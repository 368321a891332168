"""People for tests that need no running server."""

from __future__ import annotations

from ronda.accounts.models import Person, RoleGrant
from ronda.accounts.roles import Role

PASSWORD = "a long enough passphrase"


def person_with(*roles: Role, email: str = "ana@example.org", password: str | None = PASSWORD) -> Person:
    person = Person(email=email)
    if password is None:
        person.set_unusable_password()
    else:
        person.set_password(password)
    person.save()
    RoleGrant.objects.bulk_create(RoleGrant(person=person, role=role) for role in roles)
    return Person.objects.get(pk=person.pk)
