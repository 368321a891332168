"""Coming in and out: log in, links, registration, recovery, language."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client

from ronda.accounts import services
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.policies.services import change_setting
from tests.console.conftest import PASSWORD


def _log_in(client: Client, email: str, password: str = PASSWORD) -> int:
    return client.post("/login", {"username": email, "password": password}).status_code


def test_log_in_whatever_the_case_and_out_again(make_person: Callable[..., Person], client: Client) -> None:
    make_person("Reader@example.org", Role.READER)
    assert _log_in(client, "reader@EXAMPLE.org") == 302
    assert client.get("/").status_code == 200
    assert client.get("/logout").status_code == 405
    assert client.post("/logout").status_code == 302
    assert client.get("/").status_code == 302


def test_log_in_leads_back_but_not_to_another_host(make_person: Callable[..., Person]) -> None:
    make_person("a@example.org")
    wanted = {"username": "a@example.org", "password": PASSWORD}
    assert Client().post("/login", {**wanted, "next": "/jobs?page=2"}).headers["Location"] == "/jobs?page=2"
    assert Client().post("/login", {**wanted, "next": "https://evil.example/"}).headers["Location"] == "/"


def test_wrong_passwords_are_told_and_then_throttled(
    make_person: Callable[..., Person], client: Client
) -> None:
    make_person("a@example.org")
    answer = client.post("/login", {"username": "a@example.org", "password": "wrong"})
    assert "do not belong together" in answer.text
    spellings = ["a@example.org", "A@example.org", "a@EXAMPLE.org", "A@Example.Org", " a@example.org"]
    statuses = [_log_in(client, spelling, "wrong") for spelling in spellings]
    assert statuses[-1] == 429
    refused = client.post(
        "/login", {"username": "a@example.org", "password": PASSWORD}, headers={"Accept-Language": "es"}
    )
    assert refused.status_code == 429
    assert "Espere un cuarto de hora" in refused.text


def test_a_login_link_works_once_and_asks_for_a_password(
    make_person: Callable[..., Person], client: Client
) -> None:
    person = make_person("admin@example.org", Role.ADMINISTRATOR, password=None)
    address = f"/login/once/{services.create_login_link(person=person)}"
    assert client.get(address).status_code == 200
    assert client.get("/").status_code == 302, "opening the link must not spend it"
    assert client.post(address).headers["Location"] == "/account/password"
    answer = client.post("/account/password", {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert answer.headers["Location"] == "/"
    assert client.get("/").status_code == 200, "setting a password must not end the session"
    again = Client(headers={"Accept-Language": "es"}).post(address)
    assert again.status_code == 401
    assert "ya se usó o caducó" in again.text


def test_register(client: Client, db: None) -> None:
    wanted = {"email": "new@example.org", "name": "New", "password": PASSWORD, "password_again": PASSWORD}
    assert client.post("/register", wanted).status_code == 302
    assert client.get("/").status_code == 200
    person = Person.objects.get(email="new@example.org")
    assert person.roles == {Role.READER, Role.SUBSCRIBER}
    again = Client(headers={"Accept-Language": "es"}).post("/register", wanted)
    assert again.status_code == 422
    assert "Ya existe una cuenta" in again.text


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"email": "no address"}, "Enter a valid email address"),
        ({"email": ""}, "This field is required"),
        ({"password": "123", "password_again": "123"}, "too short"),
        ({"password_again": "other"}, "The two passwords differ"),
        ({"name": "x" * 121}, "at most 120 characters"),
    ],
)
def test_wrong_registrations_name_the_field(
    client: Client, db: None, change: dict[str, str], complaint: str
) -> None:
    wanted = {"email": "new@example.org", "name": "", "password": PASSWORD, "password_again": PASSWORD}
    answer = client.post("/register", {**wanted, **change})
    assert answer.status_code == 422
    assert complaint in answer.text
    assert not Person.objects.exists()


def test_closed_registration_is_closed(administrator: Person, client: Client) -> None:
    change_setting(actor=administrator, name="registration_open", value=False)
    assert "/register" not in client.get("/login").text
    assert client.get("/register").status_code == 403
    assert client.post("/register", {"email": "a@example.org"}).status_code == 403


@pytest.mark.parametrize("password", [PASSWORD, None], ids=["forgotten", "never had one"])
def test_recover_by_mail(make_person: Callable[..., Person], client: Client, password: str | None) -> None:
    make_person("lost@example.org", Role.READER, password=password)
    assert (
        client.post("/recover", {"email": "x@example.org"}, headers={"Host": "evil.example"}).status_code
        == 400
    )
    headers = {"Accept-Language": "es", "Host": "localhost:1"}
    assert client.post("/recover", {"email": "Lost@example.org"}, headers=headers).status_code == 302
    [message] = mail.outbox
    assert message.to == ["lost@example.org"]
    assert message.subject == "Defina una contraseña nueva para Ronda"
    link = re.search(r"^http://127\.0\.0\.1:\d+(/recover/\S+)$", str(message.body), re.MULTILINE)
    assert link, "the link must not follow the Host header"
    form = client.get(link[1]).headers["Location"]
    assert client.get(form).status_code == 200
    answer = client.post(
        form, {"new_password1": "another horse 8", "new_password2": "another horse 8"}, follow=True
    )
    assert "Log in with it" in answer.text
    assert _log_in(client, "lost@example.org", "another horse 8") == 302
    assert "no longer works" in Client().get(link[1]).text


def test_recovery_tells_strangers_nothing(client: Client, db: None) -> None:
    assert client.post("/recover", {"email": "nobody@example.org"}).headers["Location"] == "/recover/sent"
    assert mail.outbox == []


def test_language_is_switched_and_kept(client: Client, db: None) -> None:
    assert 'lang="en"' in client.get("/login").text
    answer = client.post("/language", {"language": "es", "next": "/login"}, follow=True)
    assert "Iniciar sesión" in answer.text
    assert "Iniciar sesión" in client.get("/login").text
