"""Tokens are shown once and kept as digests; login links work once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from ronda.accounts import queries, services
from ronda.accounts.errors import LinkSpent, NoSuchToken, TokenRefused
from ronda.accounts.models import ApiToken, LoginLink
from ronda.accounts.roles import Role
from ronda.errors import InvalidInput
from tests.people import person_with

pytestmark = pytest.mark.django_db


def test_token_speaks_for_its_person_until_revoked() -> None:
    person = person_with(Role.CLIENT)
    token, secret = services.create_token(actor=person, name="script")
    assert secret not in str(ApiToken.objects.values())
    assert secret.startswith("ronda_")
    assert services.person_of_token(secret) == person
    assert ApiToken.objects.get().last_used_at is not None
    services.revoke_token(actor=person, token_id=token.pk)
    with pytest.raises(TokenRefused):
        services.person_of_token(secret)
    assert not queries.tokens(actor=person)


def test_tokens_of_others_are_out_of_reach_but_not_for_administrators() -> None:
    person, other = person_with(Role.CLIENT), person_with(Role.CLIENT, email="b@example.org")
    token, _ = services.create_token(actor=person, name="script")
    with pytest.raises(NoSuchToken):
        services.revoke_token(actor=other, token_id=token.pk)
    admin = person_with(Role.ADMINISTRATOR, email="c@example.org")
    assert services.revoke_token(actor=admin, token_id=token.pk).is_revoked


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "line\nbreak", "nul\0"])
def test_token_needs_a_sensible_name(name: str) -> None:
    with pytest.raises(InvalidInput):
        services.create_token(actor=person_with(Role.CLIENT), name=name)


def test_token_count_is_capped() -> None:
    person = person_with(Role.CLIENT)
    for number in range(services.TOKENS_PER_PERSON):
        services.create_token(actor=person, name=str(number))
    with pytest.raises(InvalidInput):
        services.create_token(actor=person, name="one more")


def test_system_token_is_kept_while_it_works() -> None:
    person = person_with(Role.ADMINISTRATOR)
    first = services.ensure_system_token(person=person, name="command line", present="")
    assert services.ensure_system_token(person=person, name="command line", present=first) == first
    second = services.ensure_system_token(person=person, name="command line", present="lost")
    assert services.person_of_token(second) == person
    with pytest.raises(TokenRefused):
        services.person_of_token(first)


def test_login_link_works_once() -> None:
    person = person_with(Role.ADMINISTRATOR, password=None)
    secret = services.create_login_link(person=person)
    assert services.spend_login_link(secret=secret) == person
    with pytest.raises(LinkSpent):
        services.spend_login_link(secret=secret)


def test_using_one_login_link_ends_all_of_that_person() -> None:
    """Several machines may each have printed one."""
    person = person_with(Role.ADMINISTRATOR)
    elder, newer = (services.create_login_link(person=person) for _ in range(2))
    assert services.spend_login_link(secret=elder) == person
    with pytest.raises(LinkSpent):
        services.spend_login_link(secret=newer)


def test_login_link_expires() -> None:
    secret = services.create_login_link(person=person_with(Role.ADMINISTRATOR))
    LoginLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(LinkSpent):
        services.spend_login_link(secret=secret)
    services.prune_expired()
    assert not LoginLink.objects.exists()


def test_first_start_makes_one_administrator() -> None:
    first = services.ensure_administrator("admin@example.org")
    assert services.ensure_administrator("other@example.org") == first
    assert not first.has_usable_password()
