"""Administrators look after people."""

from __future__ import annotations

from collections.abc import Callable

from django.core import mail
from django.test import Client

from ronda.accounts import services
from ronda.accounts.models import Person
from ronda.accounts.roles import Role


def test_find_people(browser: Client, make_person: Callable[..., Person]) -> None:
    make_person("ada@example.org", Role.DIRECTOR)
    make_person("bob@example.org", Role.READER)
    found = browser.get("/people?search=ADA").text
    assert "ada@example.org" in found
    assert "bob@example.org" not in found
    assert "bob@example.org" not in browser.get("/people?role=director").text
    assert "Nobody matches" in browser.get("/people?search=nobody-at-all").text
    assert browser.get("/people?role=nonsense&page=99999999999&search=%00").status_code == 200
    assert browser.get("/people?sort=password").status_code == 422
    order = browser.get("/people?sort=-email").text
    assert order.index("bob@") < order.index("ada@")


def test_pages_of_people(browser: Client, make_person: Callable[..., Person]) -> None:
    for number in range(30):
        make_person(f"p{number:02}@example.org")
    first = browser.get("/people?search=p").text
    assert "Page 1 of 2" in first
    assert "?search=p&amp;page=2" in first


def test_added_people_get_a_mail_and_can_come_in(browser: Client) -> None:
    answer = browser.post("/people/add", {"email": "new@example.org", "name": "New", "roles": ["reader"]})
    person = Person.objects.get(email="new@example.org")
    assert answer.headers["Location"] == f"/people/{person.pk}"
    assert person.roles == {Role.READER}
    [message] = mail.outbox
    assert "/recover/" in message.body
    assert "made an account for you" in message.body
    assert browser.post(f"/people/{person.pk}/invite").status_code == 302
    assert len(mail.outbox) == 2


def test_an_address_is_taken_once(browser: Client, administrator: Person) -> None:
    answer = browser.post("/people/add", {"email": administrator.email.upper()})
    assert answer.status_code == 422
    assert "already" in answer.text
    assert mail.outbox == []


def test_roles_are_given_and_taken(browser: Client, make_person: Callable[..., Person]) -> None:
    person = make_person("a@example.org", Role.READER)
    assert browser.post(f"/people/{person.pk}", {"roles": ["client", "director"]}).status_code == 302
    assert Person.objects.get(pk=person.pk).roles == {Role.CLIENT, Role.DIRECTOR}
    assert browser.post(f"/people/{person.pk}", {"roles": ["emperor"]}).status_code == 422


def test_an_administrator_always_remains(browser: Client, administrator: Person) -> None:
    answer = browser.post(f"/people/{administrator.pk}", {"roles": []})
    assert answer.status_code == 422
    assert "last administrator" in answer.text
    closing = browser.post(f"/people/{administrator.pk}/close", follow=True)
    assert "last administrator" in closing.text
    assert Person.objects.get(pk=administrator.pk).is_active


def test_closed_accounts_cannot_come_in(
    browser: Client, make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    person = make_person("a@example.org", Role.READER)
    theirs = browser_of(person)
    assert browser.post(f"/people/{person.pk}/close").status_code == 302
    assert theirs.get("/").status_code == 302
    assert browser.post(f"/people/{person.pk}/reopen").status_code == 302
    assert theirs.get("/").status_code == 200


def test_tokens_of_others_can_be_revoked(browser: Client, make_person: Callable[..., Person]) -> None:
    person = make_person("a@example.org", Role.READER)
    token, _secret = services.create_token(actor=person, name="stolen")
    assert "stolen" in browser.get(f"/people/{person.pk}").text
    assert browser.post(f"/people/{person.pk}/tokens/{token.pk}/revoke").status_code == 302
    assert "stolen" not in browser.get(f"/people/{person.pk}").text.split("<main", 1)[1].split("notice", 1)[0]
