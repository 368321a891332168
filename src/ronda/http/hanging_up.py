"""Whether who asked is still there: for answers that take their time, and would be lost on who is gone."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from django.http import HttpRequest

from ronda.http.body_limit import Application, Message, Receive, Scope, Send

_KEY = "ronda.hung_up"


class NotesHangingUp:
    """Django listens for it while a view runs; what it hears is noted here, where a view in a thread can see it."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        hung_up = Event()

        async def hear() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                hung_up.set()
            return message

        await self._application({**scope, _KEY: hung_up}, hear, send)


def has_hung_up(request: HttpRequest) -> Callable[[], bool]:
    """To be asked again and again. Where nobody listens, as in tests without a server, it never has."""
    hung_up: Event | None = getattr(request, "scope", {}).get(_KEY)
    return hung_up.is_set if hung_up else lambda: False
