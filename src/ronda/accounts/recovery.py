"""The mail with which somebody sets a password: forgotten, or never had because an administrator made the account."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from ronda.accounts.mail import send
from ronda.accounts.models import Person

# Anybody may ask for anybody's recovery mail; nobody's mailbox is filled with them.
QUIET_TIME = timedelta(minutes=2)


def recovery_link(person: Person) -> str:
    """Never from the request's Host header: whoever asks could make the mail lead to a host of theirs."""
    key = urlsafe_base64_encode(force_bytes(person.pk))
    path = reverse("recover-confirm", args=[key, default_token_generator.make_token(person)])
    return f"{settings.RONDA.console_url}{path}"


def recover(email: str, *, kind: str = "recovery") -> None:
    """Somebody asks for a way in again; also those who never had a password. Strangers learn nothing."""
    now = timezone.now()
    is_due = Q(recovery_sent_at=None) | Q(recovery_sent_at__lt=now - QUIET_TIME)
    for person in Person.objects.filter(is_due, email__iexact=email, is_active=True):
        # Noted first, and only by one: asking a hundred times at once sends one mail.
        if Person.objects.filter(is_due, pk=person.pk).update(recovery_sent_at=now):
            _send(kind, person)


def invite(person: Person, *, invited_by: Person) -> bool:
    """To somebody an administrator made an account for. False if the mail could not be sent."""
    return _send("invitation", person, invited_by=invited_by)


def _send(kind: str, person: Person, **more: object) -> bool:
    context = {
        "person": person,
        "link": recovery_link(person),
        "console_url": settings.RONDA.console_url,
        "minutes": settings.PASSWORD_RESET_TIMEOUT // 60,
        **more,
    }
    return send(kind, to=person.email, context=context)
