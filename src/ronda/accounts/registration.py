"""A stranger makes an account: they say where they get mail, and a link sent there does the rest.

Whoever asks sees the same, whether the address has an account or not; only its mailbox hears which.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from ronda.accounts import recovery, services
from ronda.accounts.errors import RegistrationClosed, RegistrationSpent
from ronda.accounts.mail import send
from ronda.accounts.models import Person, Registration
from ronda.accounts.queries import is_registration_open
from ronda.accounts.secrets import digest_of, new_secret
from ronda.errors import TooMany

LIFE = timedelta(hours=24)
# Anybody may give anybody's address; nobody's mailbox is filled, and nobody sends mails through us by the thousand.
QUIET_TIME = timedelta(minutes=2)
ASKED_FROM_ONE_ADDRESS_AN_HOUR = 20


def ask(*, email: str, name: str = "", asked_from: str | None = None) -> None:
    """Send the mail. `asked_from` is the network address of whoever asks."""
    if not is_registration_open():
        raise RegistrationClosed()
    email, name = services.valid_email(email), services.valid_name(name)
    _slow_down(asked_from)
    is_known = Person.objects.filter(email__iexact=email).exists()
    secret = _note(email=email, name=name, asked_from=asked_from)
    if secret is None:
        return
    if is_known:
        recovery.recover(email, kind="known")
    else:
        link = f"{settings.RONDA.console_url}{reverse('register-confirm', args=[secret])}"
        context = {
            "link": link,
            "console_url": settings.RONDA.console_url,
            "hours": LIFE // timedelta(hours=1),
        }
        send("registration", to=email, context=context)


def _slow_down(asked_from: str | None) -> None:
    recent = Registration.objects.filter(
        asked_from=asked_from, asked_at__gt=timezone.now() - timedelta(hours=1)
    )
    if asked_from and recent.count() >= ASKED_FROM_ONE_ADDRESS_AN_HOUR:
        raise TooMany(retry_after_seconds=3600)


def _note(*, email: str, name: str, asked_from: str | None) -> str | None:
    """The secret of a new link; None if one went out just now. Noted for known addresses too: all look alike."""
    secret = new_secret()
    now = timezone.now()
    values = {"name": name, "digest": digest_of(secret), "asked_from": asked_from, "asked_at": now}
    if Registration.objects.filter(email__iexact=email, asked_at__lt=now - QUIET_TIME).update(**values):
        return secret
    try:
        with transaction.atomic():
            Registration.objects.create(email=email, **values)
    except IntegrityError:  # asked a moment ago
        return None
    return secret


def registration_of(secret: str) -> Registration:
    found = _unspent(secret).first()
    if found is None:
        raise RegistrationSpent()
    return found


def confirm(*, secret: str, password: str) -> Person:
    """The link is followed: its mailbox is theirs, and the account is made. Works once."""
    with transaction.atomic():
        registration = _unspent(secret).select_for_update().first()
        if registration is None:
            raise RegistrationSpent()
        person = services.register(email=registration.email, password=password, name=registration.name)
        registration.delete()
    return person


def _unspent(secret: str) -> QuerySet[Registration]:
    return Registration.objects.filter(digest=digest_of(secret), asked_at__gt=timezone.now() - LIFE)


def prune_expired() -> None:
    Registration.objects.filter(asked_at__lt=timezone.now() - LIFE).delete()
