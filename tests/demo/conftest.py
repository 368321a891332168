"""A demo web on real sockets for every test, with a clock that stands still until a test moves it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld, serve_in_thread

SEED = 7


@dataclass(frozen=True)
class Fetched:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


def fetch(
    url: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Fetched:
    """One request on a connection of its own. Redirects are not followed, nothing is decompressed."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, dict(headers or {}))
        response = connection.getresponse()
        return Fetched(response.status, dict(response.headers), response.read())
    finally:
        connection.close()


@pytest.fixture(scope="session")
def world() -> DemoWorld:
    """Pure, so one is enough for all tests."""
    return DemoWorld(SEED)


@pytest.fixture
def clock(world: DemoWorld) -> DemoClock:
    return DemoClock(world.epoch + timedelta(days=200), speed=0)


@pytest.fixture
def server(world: DemoWorld, clock: DemoClock) -> Iterator[DemoServer]:
    with serve_in_thread(world, clock) as running:
        yield running


Ask = Callable[..., Any]


@pytest.fixture
def ask(server: DemoServer) -> Ask:
    """Ask the wiki's API in formatversion 2 (unless told otherwise) and read the JSON."""

    def ask(**parameters: object) -> Any:
        query = {"action": "query", "format": "json", "formatversion": 2, **parameters}
        return fetch(f"{server.wiki_api_url}?{urlencode(query)}").json()

    return ask
