"""Getting a message out: by mail, or through Apprise in a fenced process with a time limit."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.utils.translation import gettext_noop

from ronda.rounds.notification_models import Target, TargetKind

logger = logging.getLogger(__name__)

SEND_SECONDS = 40


@dataclass(frozen=True)
class Message:
    title: str
    body: str


@dataclass(frozen=True)
class Checked:
    """An Apprise address as it may be shown, or what is wrong with it."""

    shown: str = ""
    error: str = ""


def deliver(target: Target, message: Message) -> str:
    """Empty when it was taken; else why not, in words for people."""
    if target.kind == TargetKind.MAIL:
        return _mail(target.person.email, message)
    return _run({"url": target.address, "title": message.title, "body": message.body}).error


def check_address(address: str) -> Checked:
    """Whether Apprise knows this kind of address; nothing is sent."""
    if "://" not in address:
        return Checked(error=gettext_noop("This is no address Apprise knows."))
    return _run({"url": address, "is_check": True})


def _mail(to: str, message: Message) -> str:
    try:
        send_mail(message.title, message.body, None, [to])
    except (OSError, SMTPException) as error:
        logger.warning("no mail to %s: %s", to, error)
        return str(error)[:400] or type(error).__name__
    return ""


def _run(order: dict[str, Any]) -> Checked:
    order["allow_private_networks"] = settings.RONDA.allow_private_networks
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ronda.rounds.apprise_child"],
            input=json.dumps(order),
            env=_environment(),
            cwd="/",
            capture_output=True,
            text=True,
            timeout=SEND_SECONDS,
            check=False,
        )
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return Checked(error=gettext_noop("The service did not answer in time."))
    except ValueError:
        logger.error("the sending process failed: %s", done.stderr[-2000:])
        return Checked(error=gettext_noop("Sending failed; the log says why."))
    return Checked(str(answer.get("shown", ""))[:300], str(answer["error"])[:400])


def _environment() -> dict[str, str]:
    """Ours holds keys and passwords: what speaks to strangers gets none of them, nor a way through proxies."""
    kept = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "SSL_CERT_FILE", "SSL_CERT_DIR")
    return {name: os.environ[name] for name in kept if name in os.environ} | {"HOME": "/nonexistent"}
