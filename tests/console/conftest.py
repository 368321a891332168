"""People of each role, with a browser that is logged in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import translation

from ronda.accounts.models import Person
from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from tests.people import PASSWORD, person_with


@pytest.fixture(autouse=True)
def _quick() -> Iterator[None]:
    """Every test browser would list all static files anew."""
    without_files = [name for name in settings.MIDDLEWARE if not name.endswith("StaticFilesMiddleware")]
    # A request leaves its language behind in the thread; the next test begins in English.
    with override_settings(MIDDLEWARE=without_files), translation.override("en"):
        yield


@pytest.fixture
def make_person(db: None) -> Callable[..., Person]:
    def make(email: str, *roles: Role, password: str | None = PASSWORD) -> Person:
        return person_with(*roles, email=email, password=password)

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
