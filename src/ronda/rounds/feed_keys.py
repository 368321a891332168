"""Feed readers cannot log in: the address of a feed carries a token of its own, good for feeds alone, revocable."""

from __future__ import annotations

import secrets

from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from ronda.accounts.models import Person
from ronda.accounts.roles import require
from ronda.rounds.notification_models import FeedKey


def feed_token(*, actor: Person | None) -> str:
    """The same until it is renewed. What is stored does not give it away without the server's key."""
    person = require(actor)
    key = FeedKey.objects.get_or_create(person=person, defaults={"nonce": secrets.token_hex(16)})[0]
    return _token(key)


def renew_feed_token(*, actor: Person | None) -> str:
    person = require(actor)
    values = {"nonce": secrets.token_hex(16), "made_at": timezone.now()}
    return _token(FeedKey.objects.update_or_create(person=person, defaults=values)[0])


def person_of_feed_token(token: str) -> Person | None:
    number, _, _ = token.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) < 18):
        return None
    key = FeedKey.objects.select_related("person").filter(person=int(number), person__is_active=True).first()
    return key.person if key and constant_time_compare(_token(key), token) else None


def _token(key: FeedKey) -> str:
    signature = salted_hmac(
        "ronda.rounds.feeds", f"{key.person_id}:{key.nonce}", algorithm="sha256"
    ).hexdigest()
    return f"{key.person_id}-{signature[:40]}"
