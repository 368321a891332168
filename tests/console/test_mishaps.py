"""What people see when something goes wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.utils.functional import SimpleLazyObject

from ronda.accounts.models import Person
from ronda.http.errors import respond_to, status_page


def test_unknown_addresses(browser_of: Callable[..., Client], db: None) -> None:
    answer = browser_of(language="es").get("/nowhere")
    assert answer.status_code == 404
    assert "No hay nada en esta dirección" in answer.text


@pytest.fixture
def without_database(rf: RequestFactory) -> HttpRequest:
    """A request whose person and session can no longer be asked for. (No `db` fixture: a query would fail.)"""

    def gone() -> object:
        raise OperationalError("connection refused")

    request = rf.get("/jobs")
    request.user = SimpleLazyObject(gone)  # type: ignore[assignment]
    request.session = SessionStore("some-key")
    return request


def test_a_lost_database_still_gives_a_page(without_database: HttpRequest) -> None:
    answer = respond_to(without_database, OperationalError("connection refused"))
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "The database is not there now" in answer.text
    assert status_page(without_database, 404).status_code == 404
    assert respond_to(without_database, ValueError("unforeseen")).status_code == 500


def test_an_old_form_says_so(administrator: Person) -> None:
    strict = Client(enforce_csrf_checks=True, headers={"Accept-Language": "es"})
    answer = strict.post("/login", {"username": "a@example.org", "password": "x"})
    assert answer.status_code == 403
    assert "demasiado antiguo" in answer.text


def test_a_live_part_of_an_ended_session_loads_the_page_again(client: Client, db: None) -> None:
    answer = client.get("/jobs", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.headers["HX-Refresh"] == "true"
    assert answer.text == ""


def test_wrong_role_is_told_in_the_reader_s_language(
    make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    answer = browser_of(make_person("a@example.org"), "es").get("/settings")
    assert answer.status_code == 403
    assert "Esto requiere el rol director. Pídalo a un administrador." in answer.text
