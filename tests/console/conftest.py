"""People of each role, with a browser that is logged in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import django
import pytest
from django.conf import settings
from django.test import Client, override_settings

django.setup()  # tests/conftest.py has said with which home; models can be imported from here on

from ronda.accounts.models import Person, RoleGrant  # noqa: E402
from ronda.accounts.pages.entrance import BACKEND  # noqa: E402
from ronda.accounts.roles import Role  # noqa: E402

PASSWORD = "correct horse 7"


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    """A login's real hash takes a quarter of a second, and every test browser would list all static files anew."""
    with override_settings(
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        MIDDLEWARE=[name for name in settings.MIDDLEWARE if not name.startswith("servestatic")],
    ):
        yield


@pytest.fixture
def make_person(db: None) -> Callable[..., Person]:
    def make(email: str, *roles: Role, password: str | None = PASSWORD) -> Person:
        person = Person(email=email)
        person.set_password(password)
        person.save()
        RoleGrant.objects.bulk_create(RoleGrant(person=person, role=role) for role in roles)
        return person

    return make


@pytest.fixture
def browser_of() -> Callable[..., Client]:
    def browser(person: Person | None = None, language: str = "en") -> Client:
        client = Client(headers={"Accept-Language": language})
        if person:
            client.force_login(person, backend=BACKEND)
        return client

    return browser


@pytest.fixture
def administrator(make_person: Callable[..., Person]) -> Person:
    return make_person("admin@example.org", Role.ADMINISTRATOR)


@pytest.fixture
def browser(administrator: Person, browser_of: Callable[..., Client]) -> Client:
    """An administrator's browser."""
    return browser_of(administrator)
