"""The mail with which somebody sets a password: forgotten, or never had because an administrator made the account."""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from ronda.accounts.models import Person

logger = logging.getLogger(__name__)

# Anybody may ask for anybody's recovery mail; nobody's mailbox is filled with them.
QUIET_TIME = timedelta(minutes=2)


def recovery_link(person: Person) -> str:
    """Never from the request's Host header: whoever asks could make the mail lead to a host of theirs."""
    key = urlsafe_base64_encode(force_bytes(person.pk))
    path = reverse("recover-confirm", args=[key, default_token_generator.make_token(person)])
    return f"{settings.RONDA.console_url}{path}"


def recover(email: str) -> None:
    """Somebody asks for a way in again; also those who never had a password. Strangers learn nothing."""
    now = timezone.now()
    is_due = Q(recovery_sent_at=None) | Q(recovery_sent_at__lt=now - QUIET_TIME)
    for person in Person.objects.filter(is_due, email__iexact=email, is_active=True):
        # Noted first, and only by one: asking a hundred times at once sends one mail.
        if Person.objects.filter(is_due, pk=person.pk).update(recovery_sent_at=now):
            send_recovery_mail(person)


def send_recovery_mail(person: Person, *, invited_by: Person | None = None) -> bool:
    """In the language of whoever asked for it. False if the mail server did not take it (the log says why)."""
    context = {
        "person": person,
        "invited_by": invited_by,
        "link": recovery_link(person),
        "console_url": settings.RONDA.console_url,
        "minutes": settings.PASSWORD_RESET_TIMEOUT // 60,
    }
    kind = "invitation" if invited_by else "recovery"
    subject = " ".join(render_to_string(f"accounts/mail/{kind}_subject.txt", context).split())
    try:
        send_mail(subject, render_to_string(f"accounts/mail/{kind}.txt", context), None, [person.email])
    except (OSError, SMTPException):
        logger.exception("no mail to %s", person.email)
        return False
    return True
