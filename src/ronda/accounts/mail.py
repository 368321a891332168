"""Where mails go without a mail server: into the log, whole, so that a recovery link can be followed."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)


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
