"""Back-pressure: when too many batches are on their way in, further ones are told to come back, and stored nowhere."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from ronda.http.body_limit import Application, Message, Receive, Scope, Send

# In the scope of a request whose body was thrown away.
IS_BUSY = "ronda.is_busy"
MOST_IN_FLIGHT = 32
MOST_OF_A_CLIENT = 12
_BATCH = re.compile(r"/api/v1/sessions/[^/]+/tables/[^/]+/batches/")


class BackPressure:
    """An ASGI application around another. It reads what it refuses to its end: who is cut off hears no reason."""

    def __init__(
        self,
        application: Application,
        most_in_flight: int = MOST_IN_FLIGHT,
        most_of_a_client: int = MOST_OF_A_CLIENT,
    ) -> None:
        self.application = application
        self.most_in_flight = most_in_flight
        self.most_of_a_client = most_of_a_client
        self._in_flight: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _BATCH.match(scope["path"]):
            await self.application(scope, receive, send)
            return
        client = _client_of(scope)
        is_full = self._in_flight.total() >= self.most_in_flight
        if is_full or self._in_flight[client] >= self.most_of_a_client:
            await _throw_away(receive)
            await self.application(_without_body(scope), _Nothing(receive), send)
            return
        self._in_flight[client] += 1
        try:
            await self.application(scope, receive, send)
        finally:
            self._in_flight[client] -= 1
            if not self._in_flight[client]:
                del self._in_flight[client]


def _client_of(scope: Scope) -> str:
    """Whoever sends it, by what they log in with. Only a digest is held."""
    headers = dict(scope["headers"])
    secret = headers.get(b"authorization", b"") + headers.get(b"cookie", b"")
    return hashlib.sha256(secret).hexdigest()


async def _throw_away(receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


def _without_body(scope: Scope) -> Scope:
    told = (b"content-length", b"transfer-encoding")
    return {**scope, "headers": [h for h in scope["headers"] if h[0] not in told], IS_BUSY: True}


class _Nothing:
    """An empty body, then whatever comes behind the one that was thrown away."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_read = False

    async def __call__(self) -> Message:
        if self._is_read:
            return await self._receive()
        self._is_read = True
        return {"type": "http.request", "body": b"", "more_body": False}
