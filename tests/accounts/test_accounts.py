"""Accounts: registering, roles, leaving, and the rule that somebody stays in charge."""

from __future__ import annotations

import threading

import pytest
from django.db import connection

from ronda.accounts import queries, services
from ronda.accounts.errors import (
    AddressTaken,
    LastAdministrator,
    NoSuchPerson,
    RegistrationClosed,
    WrongPassword,
)
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import Forbidden, InvalidInput, NotAuthenticated
from ronda.policies.services import change_setting
from tests.people import PASSWORD, person_with

pytestmark = pytest.mark.django_db


def test_registering_gives_the_roles_the_director_chose() -> None:
    director = person_with(Role.DIRECTOR, email="dora@example.org")
    change_setting(actor=director, name="new_person_roles", value="client contributor")
    person = services.register(email=" Eva@Example.org ", password=PASSWORD, name="Eva")
    assert (person.email, person.roles) == ("Eva@Example.org", {Role.CLIENT, Role.CONTRIBUTOR})


def test_registration_can_be_closed() -> None:
    change_setting(actor=person_with(Role.DIRECTOR), name="registration_open", value=False)
    with pytest.raises(RegistrationClosed):
        services.register(email="eva@example.org", password=PASSWORD)


def test_mail_addresses_are_unique_whatever_their_case() -> None:
    services.register(email="eva@example.org", password=PASSWORD)
    with pytest.raises(AddressTaken):
        services.register(email="EVA@example.org", password=PASSWORD)
    assert Person.objects.get_by_natural_key("Eva@EXAMPLE.org").check_password(PASSWORD)


@pytest.mark.parametrize(
    ("email", "password", "name"),
    [
        ("eva", PASSWORD, ""),
        ("eva@example.org", "12345678", ""),
        ("eva@example.org", "password", ""),
        ("eva@example.org", PASSWORD, "x" * 121),
        ("eva@example.org", PASSWORD, "nul\0"),
        ("x" * 250 + "@example.org", PASSWORD, ""),
    ],
)
def test_bad_registrations_change_nothing(email: str, password: str, name: str) -> None:
    with pytest.raises(InvalidInput):
        services.register(email=email, password=password, name=name)
    assert not Person.objects.exists()


def test_only_administrators_manage_people() -> None:
    reader = person_with(Role.READER, Role.DIRECTOR, Role.CLIENT)
    for forbidden in (
        lambda: queries.people(actor=reader),
        lambda: services.add_person(actor=reader, email="x@example.org"),
        lambda: services.set_roles(actor=reader, person_id=reader.pk, roles=[Role.ADMINISTRATOR]),
        lambda: services.set_active(actor=reader, person_id=reader.pk, is_active=False),
    ):
        with pytest.raises(Forbidden):
            forbidden()
    with pytest.raises(NotAuthenticated):
        queries.people(actor=None)


def test_roles_are_replaced_and_remember_who_granted_them() -> None:
    admin = person_with(Role.ADMINISTRATOR)
    other = person_with(Role.READER, email="b@example.org")
    changed = services.set_roles(actor=admin, person_id=other.pk, roles=[Role.CLIENT, Role.DIRECTOR])
    assert changed.roles == {Role.CLIENT, Role.DIRECTOR}
    assert {grant.granted_by for grant in changed.grants.all()} == {admin}
    with pytest.raises(NoSuchPerson):
        services.set_roles(actor=admin, person_id=10**9, roles=[])


def test_last_administrator_stays() -> None:
    admin = person_with(Role.ADMINISTRATOR)
    for leaving in (
        lambda: services.set_roles(actor=admin, person_id=admin.pk, roles=[Role.READER]),
        lambda: services.set_active(actor=admin, person_id=admin.pk, is_active=False),
        lambda: services.delete_own_account(actor=admin, password=PASSWORD),
    ):
        with pytest.raises(LastAdministrator):
            leaving()
    person_with(Role.ADMINISTRATOR, email="b@example.org")
    services.delete_own_account(actor=admin, password=PASSWORD)
    assert not Person.objects.filter(email="ana@example.org").exists()


@pytest.mark.django_db(transaction=True)
def test_two_administrators_cannot_both_leave_at_once() -> None:
    admins = [person_with(Role.ADMINISTRATOR, email=f"{n}@example.org") for n in "ab"]
    together = threading.Barrier(2)
    refused = []

    def leave(admin: Person) -> None:
        together.wait()
        try:
            services.delete_own_account(actor=admin, password=PASSWORD)
        except LastAdministrator:
            refused.append(admin)
        finally:
            connection.close()

    threads = [threading.Thread(target=leave, args=[admin]) for admin in admins]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert Person.objects.count() == 1


def test_deleting_an_account_needs_its_password() -> None:
    person = person_with(Role.READER)
    with pytest.raises(WrongPassword):
        services.delete_own_account(actor=person, password="wrong")
    services.delete_own_account(actor=person, password=PASSWORD)
    assert not Person.objects.exists()


def test_closed_account_can_do_nothing() -> None:
    admin = person_with(Role.ADMINISTRATOR)
    other = person_with(Role.CLIENT, email="b@example.org")
    _, secret = services.create_token(actor=other, name="script")
    closed = services.set_active(actor=admin, person_id=other.pk, is_active=False)
    with pytest.raises(NotAuthenticated):
        services.person_of_token(secret)
    with pytest.raises(NotAuthenticated):
        services.create_token(actor=closed, name="another")
