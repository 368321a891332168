"""Mail through a real mail server, and into the log without one."""

from __future__ import annotations

import re
from collections.abc import Callable
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from aiosmtpd.controller import Controller

from tests.running import RunningRonda, free_port, wait_for


class Mailbox:
    def __init__(self) -> None:
        self.messages: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  (aiosmtpd's name)
        self.messages.append(envelope.content.decode())
        return "250 OK"


def _ask_for_recovery(ronda: RunningRonda) -> None:
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    opener.open(f"{ronda.url}/recover").read()
    token = next(cookie.value for cookie in jar if "csrf" in cookie.name)
    form = urlencode({"email": "admin@ronda.invalid", "csrfmiddlewaretoken": token}).encode()
    opener.open(f"{ronda.url}/recover", data=form).read()


def test_recovery_mail_by_smtp(ronda_in: Callable[..., RunningRonda], fresh_database: str) -> None:
    mailbox = Mailbox()
    server = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        ronda = ronda_in(
            "home",
            "--role",
            "web",
            "--role",
            "leader",
            RONDA_DATABASE_URL=fresh_database,
            RONDA_SMTP_URL=f"smtp://127.0.0.1:{server.port}",
            RONDA_MAIL_FROM="ronda@example.org",
            RONDA_PUBLIC_URL="http://ronda.example",
        )
        ronda.start()
        _ask_for_recovery(ronda)
        _ask_for_recovery(ronda)
        wait_for(lambda: mailbox.messages, "the mail")
    finally:
        server.stop()
    assert len(mailbox.messages) == 1, "a mailbox is not filled by whoever asks often"
    assert "From: ronda@example.org" in mailbox.messages[0]
    assert re.search(r"http://ronda\.example/recover/\S+", mailbox.messages[0])


def test_recovery_mail_goes_to_the_log_without_a_server(shared_ronda: RunningRonda) -> None:
    _ask_for_recovery(shared_ronda)
    wait_for(lambda: "mail to admin@ronda.invalid" in shared_ronda.log, "the mail in the log")
    assert re.search(rf"{shared_ronda.url}/recover/\S+", shared_ronda.log)
