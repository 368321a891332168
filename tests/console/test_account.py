"""One's own account and tokens."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axes.models import AccessAttempt
from django.test import Client

from ronda.accounts import services
from ronda.accounts.models import ApiToken, Person
from ronda.accounts.roles import Role
from tests.console.conftest import PASSWORD


def test_rename(browser: Client, administrator: Person) -> None:
    assert browser.post("/account", {"name": "Ada"}).status_code == 302
    administrator.refresh_from_db()
    assert administrator.name == "Ada"
    assert browser.post("/account", {"name": "x" * 121}).status_code == 422


def test_change_password_keeps_this_session_and_ends_others(
    administrator: Person, browser: Client, browser_of: Callable[..., Client]
) -> None:
    elsewhere = browser_of(administrator)
    fields = {
        "old_password": PASSWORD,
        "new_password1": "another horse 8",
        "new_password2": "another horse 8",
    }
    wrong = browser.post("/account/password", {**fields, "old_password": "wrong"})
    assert wrong.status_code == 422
    assert browser.post("/account/password", fields).status_code == 302
    assert browser.get("/").status_code == 200
    assert elsewhere.get("/").status_code == 302


def test_leaving_needs_the_password(
    make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    browser = browser_of(make_person("a@example.org", Role.READER), "es")
    refused = browser.post("/account/delete", {"password": "wrong"})
    assert refused.status_code == 422
    assert "Esa no es su contraseña" in refused.text
    assert browser.post("/account/delete", {"password": PASSWORD}).headers["Location"] == "/login"
    assert not Person.objects.exists()


@pytest.mark.parametrize(
    ("page", "field"), [("/account/password", "old_password"), ("/account/delete", "password")]
)
def test_guessing_the_password_of_a_session_left_open_is_throttled(
    make_person: Callable[..., Person], browser_of: Callable[..., Client], page: str, field: str
) -> None:
    browser = browser_of(make_person("a@example.org", Role.READER))
    fresh = {"new_password1": "another horse 8", "new_password2": "another horse 8"}
    # The page's own hidden field must not lead the counting astray.
    statuses = [
        browser.post(page, {field: f"guess {n}", "username": f"x{n}@example.org", **fresh}).status_code
        for n in range(5)
    ]
    assert statuses == [422] * 4 + [429]
    assert browser.post(page, {field: PASSWORD, **fresh}).status_code == 429
    assert Person.objects.get().check_password(PASSWORD)
    assert Client().post("/login", {"username": "a@example.org", "password": PASSWORD}).status_code == 429
    for attempt in AccessAttempt.objects.all():
        assert "guess" not in attempt.post_data
        assert "horse" not in attempt.post_data


def test_the_last_administrator_cannot_leave(browser: Client) -> None:
    answer = browser.post("/account/delete", {"password": PASSWORD})
    assert answer.status_code == 422
    assert "last administrator" in answer.text


def test_a_token_is_shown_once_and_works(browser: Client, administrator: Person) -> None:
    answer = browser.post("/tokens", {"name": "laptop"})
    assert answer.headers["Cache-Control"] == "no-store"
    secret = re.search(r'id="secret">(ronda_[\w-]+)<', answer.text)
    assert secret
    assert services.person_of_token(secret[1]) == administrator
    listed = browser.get("/tokens").text
    assert "laptop" in listed
    assert secret[1] not in listed
    token = ApiToken.objects.get()
    assert browser.get(f"/tokens/{token.pk}/revoke").status_code == 200
    assert ApiToken.objects.get().revoked_at is None, "looking at the question must not revoke"
    assert browser.post(f"/tokens/{token.pk}/revoke").status_code == 302
    assert ApiToken.objects.get().revoked_at is not None


def test_a_token_needs_a_name(browser: Client) -> None:
    for name in ("", "x" * 81, "tab\there"):
        assert browser.post("/tokens", {"name": name}).status_code == 422
    assert not ApiToken.objects.exists()


def test_nobody_revokes_the_token_of_another(
    make_person: Callable[..., Person], administrator: Person, browser_of: Callable[..., Client]
) -> None:
    token, _secret = services.create_token(actor=administrator, name="mine")
    stranger = browser_of(make_person("a@example.org", Role.READER))
    assert stranger.post(f"/tokens/{token.pk}/revoke").status_code == 404
    assert ApiToken.objects.get().revoked_at is None
