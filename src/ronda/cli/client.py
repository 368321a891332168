"""How commands talk to a server: HTTP with a token, and problems become our errors."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from ronda import __version__, configuration
from ronda.cli.files import check_writable
from ronda.errors import OUTCOMES, NotAuthenticated, RondaError, Unavailable
from ronda.supervision.home import TOKEN_FILE

TIMEOUT_SECONDS = 30
PATIENCE_SECONDS = 120
PAUSE_SECONDS = 0.5

T = TypeVar("T")


class Client:
    """The server of RONDA_URL (default: the local one) as RONDA_TOKEN (default: what `ronda up` left in its home)."""

    def __init__(self) -> None:
        given = configuration.load()
        self.base = f"{given.url or given.local_url}/api/v1"
        self.token = given.token or self._token_of_home(given)
        self.is_here = not given.url or _is_loopback(self.base)
        # http_proxy and its like are for servers elsewhere: a proxy cannot reach this machine's own.
        self._opener = build_opener(*([ProxyHandler({})] if self.is_here else []))

    def _token_of_home(self, given: configuration.Configuration) -> str:
        try:
            return (given.home / TOKEN_FILE).read_text().strip()
        except OSError:
            raise NotAuthenticated(
                f"No token: RONDA_TOKEN is not set and {given.home} has none.",
                hint="Start `ronda up` here, or create a token in the console.",
            ) from None

    def get(self, path: str, **query: Any) -> Any:
        wanted = {k: v for k, v in query.items() if v not in (None, "")}
        return self._call("GET", f"{path}?{urlencode(wanted)}" if wanted else path)

    def post(self, path: str, body: Any) -> Any:
        return self._call("POST", path, body)

    def post_text(self, path: str, text: str, content_type: str) -> Any:
        """A body that is no JSON document."""
        answer = self._send("POST", path, text.encode(), content_type)
        return json.loads(answer)

    def post_for_bytes(self, path: str, body: bytes, content_type: str) -> bytes:
        """An answer that is a file."""
        return self._send("POST", path, body, content_type)

    def patch(self, path: str, body: Any) -> Any:
        return self._call("PATCH", path, body)

    def put(self, path: str, body: Any) -> Any:
        return self._call("PUT", path, body)

    def delete(self, path: str, **query: Any) -> Any:
        wanted = {k: v for k, v in query.items() if v not in (None, "")}
        return self._call("DELETE", f"{path}?{urlencode(wanted)}" if wanted else path)

    def text(self, path: str, **query: Any) -> str:
        """An answer that is no JSON document."""
        return self._send("GET", f"{path}?{urlencode(query)}").decode()

    def lines(self, path: str, **query: Any) -> list[str]:
        return self.text(path, **query).splitlines()

    def download(self, path: str, target: Path) -> None:
        """An answer into a file, which is there whole or not at all."""
        check_writable(target)
        fresh = target.with_name(target.name + ".part")
        with self._open("GET", path) as response, fresh.open("wb") as file, self._as_unavailable():
            shutil.copyfileobj(response, file)
        fresh.replace(target)

    def upload(self, path: str, source: Path) -> Any:
        """A file as it is; the answer is JSON."""
        with source.open("rb") as file:
            answer = self._send("POST", path, file, "application/warc")
        return json.loads(answer)

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._send(method, path, None if body is None else json.dumps(body).encode())
        return json.loads(answer) if answer else None

    def _send(
        self,
        method: str,
        path: str,
        body: bytes | BinaryIO | None = None,
        content_type: str = "application/json",
    ) -> bytes:
        with self._open(method, path, body, content_type) as response, self._as_unavailable():
            answer: bytes = response.read()
            return answer

    def patiently(self, call: Callable[[], T]) -> T:
        """What only reads is asked again while the server is restarting."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return call()
            except Unavailable:
                if time.monotonic() > deadline:
                    raise
            time.sleep(PAUSE_SECONDS)

    def _open(
        self,
        method: str,
        path: str,
        body: bytes | BinaryIO | None = None,
        content_type: str = "application/json",
    ) -> Any:
        # Without a length urllib would send a file in chunks.
        length = {} if body is None or isinstance(body, bytes) else {"Content-Length": str(_size_bytes(body))}
        request = Request(  # noqa: S310  (configuration.load only lets http and https pass)
            self.base + path,
            method=method,
            data=body,
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": content_type,
                **length,
                "User-Agent": f"ronda/{__version__}",
            },
        )
        try:
            with self._as_unavailable():
                return self._opener.open(request, timeout=TIMEOUT_SECONDS)
        except HTTPError as error:
            raise _error_of(error) from None

    @contextmanager
    def _as_unavailable(self) -> Iterator[None]:
        """A server that is not there, or that goes away while it answers."""
        try:
            yield
        except HTTPError:
            raise
        except (URLError, OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise Unavailable(
                f"No Ronda answers at {self.base}: {reason}.",
                hint="Start one with `ronda up`, or set RONDA_URL.",
            ) from None


def _size_bytes(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _error_of(error: HTTPError) -> RondaError:
    try:
        detail = str(json.loads(error.read())["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"The server answered {error.code} {error.reason}."
    kind = next((kind for kind, (status, _) in OUTCOMES.items() if status == error.code), RondaError)
    return kind(detail)
