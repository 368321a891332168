"""How the client talks to a server: over connections that are kept, and again while the server is coming back."""

from __future__ import annotations

import http.client
import json
import queue
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ronda import __version__
from ronda.errors import OUTCOMES, RondaError, TooMany, Unavailable

TIMEOUT_SECONDS = 180.0
PATIENCE_SECONDS = 300.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 3.0
_AGAIN = (429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Reply:
    status: int
    body: bytes
    retry_after_seconds: float | None

    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


class Server:
    """`url`: where Ronda is, like http://127.0.0.1:8000. Every call may be repeated: it is, until it was answered."""

    def __init__(self, url: str, token: str, patience_seconds: float = PATIENCE_SECONDS) -> None:
        parts = urlsplit(url.rstrip("/"))
        self._is_secure = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port
        self._path = f"{parts.path.removesuffix('/api/v1')}/api/v1"
        self._token = token
        self._patience_seconds = patience_seconds
        self._free: queue.SimpleQueue[http.client.HTTPConnection] = queue.SimpleQueue()
        self.url = url

    def get(self, path: str) -> Any:
        return self.send("GET", path).json()

    def post(self, path: str, body: Any = None) -> Any:
        return self.send("POST", path, json.dumps(body if body is not None else {}).encode()).json()

    def delete(self, path: str) -> None:
        self.send("DELETE", path)

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """An answer that is no error; while the server is away or busy, it is asked again."""
        deadline = time.monotonic() + self._patience_seconds
        pause = FIRST_PAUSE_SECONDS
        while True:
            reply: Reply | None = None
            try:
                reply = self._once(method, path, body, headers or {})
            except (OSError, http.client.HTTPException) as error:
                problem: RondaError = Unavailable(
                    f"No Ronda answers at {self.url}: {error}.", hint="Start one with `ronda up`."
                )
            else:
                if reply.status < 400:
                    return reply
                problem = _error_of(reply)
                if reply.status not in _AGAIN or _is_final(problem, reply):
                    raise problem
            if time.monotonic() > deadline:
                raise problem
            wait = reply.retry_after_seconds if reply and reply.retry_after_seconds else pause
            # Those who were turned away together come back apart.
            time.sleep(wait * random.uniform(0.5, 1.0))  # noqa: S311
            pause = min(LONGEST_PAUSE_SECONDS, pause * 2)

    def _once(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        """On a connection that is free, or a new one. One that failed, or that the server ends, is not used again."""
        connection = self._taken()
        given = {
            "Authorization": f"Bearer {self._token}",
            "User-Agent": f"ronda/{__version__}",
            "Content-Type": "application/json",
            **headers,
        }
        try:
            connection.request(method, self._path + path, body, given)
            with connection.getresponse() as response:
                after = response.headers.get("Retry-After", "")
                reply = Reply(response.status, response.read(), float(after) if after.isdigit() else None)
                is_over = response.will_close
        except BaseException:
            connection.close()
            raise
        if is_over:
            connection.close()
        else:
            self._free.put(connection)
        return reply

    def _taken(self) -> http.client.HTTPConnection:
        try:
            return self._free.get_nowait()
        except queue.Empty:
            kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
            return kind(self._host, self._port, timeout=TIMEOUT_SECONDS)

    def close(self) -> None:
        """Let go of connections that nobody uses. It may be asked again: then it connects anew."""
        while True:
            try:
                self._free.get_nowait().close()
            except queue.Empty:
                return


def _is_final(problem: RondaError, reply: Reply) -> bool:
    """Too many sessions: nothing that a moment changes. Too much in flight comes with when to come back."""
    return isinstance(problem, TooMany) and reply.retry_after_seconds is None


def _error_of(reply: Reply) -> RondaError:
    try:
        detail = str(reply.json()["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"The server answered {reply.status}."
    kind = next((kind for kind, (status, _) in OUTCOMES.items() if status == reply.status), RondaError)
    return kind(detail)
