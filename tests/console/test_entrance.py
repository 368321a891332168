"""Coming in and out: log in, links, registration, recovery, language."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.db import connection
from django.test import Client

from ronda.accounts import recovery, services
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


def test_one_address_cannot_try_many_accounts(make_person: Callable[..., Person]) -> None:
    make_person("a@example.org")
    sprayer = Client()
    statuses = [_log_in(sprayer, f"person{number}@example.org", "Summer2026") for number in range(31)]
    assert statuses[:29] == [200] * 29
    assert statuses[-1] == 429
    assert _log_in(sprayer, "a@example.org") == 429, "not even with the right password"
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert _log_in(elsewhere, "a@example.org") == 302


def test_a_subscriber_s_ipv6_network_counts_as_one_address(db: None) -> None:
    for number in range(31):
        status = _log_in(Client(REMOTE_ADDR=f"2001:db8::{number:x}"), f"p{number}@example.org", "wrong")
    assert status == 429
    assert _log_in(Client(REMOTE_ADDR="2001:db8:0:1::1"), "p@example.org", "wrong") == 200


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


def _registration_link(client: Client, email: str = "new@example.org", **more: str) -> str:
    """Ask for an account; the path of the link in the mail."""
    answer = client.post("/register", {"email": email, "name": "New", **more})
    assert answer.headers["Location"] == "/register/sent"
    found = re.search(r"^http://127\.0\.0\.1:\d+(/\S+)$", str(mail.outbox[-1].body), re.MULTILINE)
    assert found
    return found[1]


def _passwords(password: str = PASSWORD, again: str = PASSWORD) -> dict[str, str]:
    return {"new_password1": password, "new_password2": again}


def test_register(client: Client, db: None) -> None:
    link = _registration_link(client)
    assert not Person.objects.exists(), "no account before the mailbox is proven"
    assert "new@example.org" in client.get(link).text
    assert client.post(link, _passwords()).headers["Location"] == "/"
    assert client.get("/").status_code == 200
    person = Person.objects.get(email="new@example.org")
    assert person.roles == {Role.READER, Role.SUBSCRIBER}
    assert (person.name, person.check_password(PASSWORD)) == ("New", True)
    again = Client(headers={"Accept-Language": "es"}).get(link)
    assert again.status_code == 404
    assert "Este enlace ya se usó o tiene más de un día" in again.text


def test_registering_does_not_tell_who_has_an_account(
    make_person: Callable[..., Person], client: Client
) -> None:
    make_person("known@example.org", Role.READER)
    known = client.post("/register", {"email": "KNOWN@example.org", "name": ""})
    unknown = client.post("/register", {"email": "unknown@example.org", "name": ""})
    assert (known.status_code, known.headers["Location"]) == (302, "/register/sent")
    assert (unknown.status_code, unknown.headers["Location"]) == (302, "/register/sent")
    assert [message.to for message in mail.outbox] == [["known@example.org"], ["unknown@example.org"]]
    assert "You have one already" in str(mail.outbox[0].body)
    assert "/recover/" in str(mail.outbox[0].body)
    # Again, at once: nothing more is sent to either, and it looks the same.
    for email in ("known@example.org", "unknown@example.org"):
        answer = client.post("/register", {"email": email, "name": ""})
        assert answer.headers["Location"] == "/register/sent"
    assert len(mail.outbox) == 2


def test_nobody_has_mails_sent_by_the_thousand(client: Client, db: None) -> None:
    statuses = [
        client.post("/register", {"email": f"a{number}@example.org", "name": ""}).status_code
        for number in range(22)
    ]
    assert statuses == [302] * 20 + [429] * 2
    elsewhere = client.post("/register", {"email": "b@example.org", "name": ""}, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 302


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"email": "no address"}, "Enter a valid email address"),
        ({"email": ""}, "This field is required"),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"name": "tab\there"}, "printable"),
    ],
)
def test_wrong_registrations_name_the_field(
    client: Client, db: None, change: dict[str, str], complaint: str
) -> None:
    answer = client.post("/register", {"email": "new@example.org", "name": "", **change})
    assert answer.status_code == 422
    assert complaint in answer.text
    assert mail.outbox == []


@pytest.mark.parametrize(
    ("passwords", "complaint"),
    [
        (_passwords("123", "123"), "too short"),
        (_passwords(PASSWORD, "other"), "didn’t match"),
        (_passwords("new@example.org", "new@example.org"), "too similar"),
    ],
)
def test_a_bad_first_password_makes_no_account(
    client: Client, db: None, passwords: dict[str, str], complaint: str
) -> None:
    link = _registration_link(client)
    answer = client.post(link, passwords)
    assert answer.status_code == 422
    assert complaint in answer.text
    assert not Person.objects.exists()
    assert client.post(link, _passwords()).status_code == 302


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


@pytest.mark.django_db(transaction=True)
def test_a_recovery_link_sets_one_password_however_many_use_it_at_once(
    make_person: Callable[..., Person],
) -> None:
    person = make_person("lost@example.org", Role.READER)
    link = urlsplit(recovery.recovery_link(person)).path
    browsers = [Client() for _ in range(6)]
    forms = [browser.get(link).headers["Location"] for browser in browsers]

    def use(number: int) -> bool:
        password = f"another horse {number}"
        answer = browsers[number].post(forms[number], _passwords(password, password))
        connection.close()
        return answer.status_code == 302

    with ThreadPoolExecutor(len(browsers)) as threads:
        won = list(threads.map(use, range(len(browsers))))
    assert won.count(True) == 1
    person.refresh_from_db()
    assert person.check_password(f"another horse {won.index(True)}")


def test_who_recovers_may_log_in_at_once(make_person: Callable[..., Person], client: Client) -> None:
    person = make_person("a@example.org")
    statuses = [_log_in(client, "a@example.org", "wrong") for _ in range(6)]
    assert statuses[-1] == 429
    link = urlsplit(recovery.recovery_link(person)).path
    form = client.get(link).headers["Location"]
    assert client.post(form, _passwords("another horse 8", "another horse 8")).status_code == 302
    assert _log_in(client, "a@example.org", "another horse 8") == 302


def test_recovery_tells_strangers_nothing(client: Client, db: None) -> None:
    assert client.post("/recover", {"email": "nobody@example.org"}).headers["Location"] == "/recover/sent"
    assert mail.outbox == []


def test_language_is_switched_and_kept(client: Client, db: None) -> None:
    assert 'lang="en"' in client.get("/login").text
    answer = client.post("/language", {"language": "es", "next": "/login"}, follow=True)
    assert "Iniciar sesión" in answer.text
    assert "Iniciar sesión" in client.get("/login").text
