"""Refuses bodies over the cap before Django spools them to disk."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ronda.http.problems import CONTENT_TYPE

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


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
            await self._refuse(send, limit)
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
                await self._refuse(send, limit)

    @staticmethod
    async def _refuse(send: Send, limit: int) -> None:
        detail = f"A request body has at most {limit} bytes."
        body = json.dumps(
            {"type": "about:blank", "title": "Content Too Large", "status": 413, "detail": detail}
        ).encode()
        headers = [(b"content-type", CONTENT_TYPE.encode()), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})
