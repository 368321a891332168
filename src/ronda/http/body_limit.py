"""Refuses bodies over the cap before Django spools them to disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

# In the scope of a request whose body was refused: the cap. Django answers it, with an id and in the right form.
OVER_LIMIT = "ronda.over_limit"


class _TooLong(Exception):
    pass


class BodyLimit:
    """An ASGI application around another: counts body bytes as they come, declared or not."""

    def __init__(
        self, application: Application, max_bytes: int, larger: Mapping[str, int] | None = None
    ) -> None:
        """`larger`: beginnings of paths that take more."""
        self.application = application
        self.max_bytes = max_bytes
        self.larger = larger or {}

    def _limit_of(self, path: str) -> int:
        return next((limit for start, limit in self.larger.items() if path.startswith(start)), self.max_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        limit = self._limit_of(scope["path"])
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > limit:
            await self._refuse(scope, send, limit)
            return
        received = 0
        has_started = False

        async def counting_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > limit:
                raise _TooLong
            return message

        async def noting_send(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self.application(scope, counting_receive, noting_send)
        except _TooLong:
            if not has_started:
                await self._refuse(scope, send, limit)

    async def _refuse(self, scope: Scope, send: Send, limit: int) -> None:
        """The same request without its body; what is left of that is not read, so the connection ends."""
        told = (b"content-length", b"transfer-encoding")
        headers = [(name, value) for name, value in scope["headers"] if name not in told]
        has_received = asyncio.Event()

        async def receive_nothing() -> Message:
            if has_received.is_set():  # asked whether the client has gone: it is told to go anyway
                await asyncio.Future()
            has_received.set()
            return {"type": "http.request", "body": b"", "more_body": False}

        async def closing_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"connection", b"close")]}
            await send(message)

        await self.application(
            {**scope, "headers": headers, OVER_LIMIT: limit}, receive_nothing, closing_send
        )
