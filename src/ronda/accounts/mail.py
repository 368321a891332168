"""Mails: made from templates, and sent; without a mail server into the log, whole, so that a link can be followed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from smtplib import SMTPException

from django.core.mail import EmailMessage, send_mail
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)


def send(kind: str, *, to: str, context: Mapping[str, object]) -> bool:
    """In the language of whoever asked for it. False if the mail server did not take it (the log says why)."""
    given = dict(context)
    subject = " ".join(render_to_string(f"accounts/mail/{kind}_subject.txt", given).split())
    try:
        send_mail(subject, render_to_string(f"accounts/mail/{kind}.txt", given), None, [to])
    except (OSError, SMTPException):
        logger.exception("no mail to %s", to)
        return False
    return True


class LogBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            logger.info(
                "mail to %s: %s\n%s\n(set RONDA_SMTP_URL to send mails for real)",
                ", ".join(message.recipients()),
                message.subject,
                message.body,
            )
        return len(email_messages)
