"""Web servers for the node's tests, on loopback: they send the very bytes a test tells them to."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ronda_node.dialling import Dial, dial, tls_context
from ronda_node.exchange import Exchanger
from ronda_node.limits import Limits
from ronda_node.neighbourhood import NOWHERE
from ronda_node.outcomes import Exchange, Failure, Method, Outcome
from ronda_node.policy import ANYWHERE, Policy
from ronda_node.pool import Pool
from ronda_node.resolution import Resolution
from ronda_node.urls import canonicalise

T = TypeVar("T")
PATIENCE_SECONDS = 30.0
# Reading the system's certificates takes longer than most tests.
_TLS = tls_context()


@dataclass
class Visitor:
    """One connection, as the server sees it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    heads: list[bytes] = field(default_factory=list)

    async def request(self) -> bytes:
        """The next request's head; empty when the client has left."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        self.heads.append(head)
        return head

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            await self.writer.drain()


Script = Callable[[Visitor], Awaitable[None]]


@dataclass
class Origin:
    port: int
    visitors: list[Visitor] = field(default_factory=list)

    @property
    def heads(self) -> list[bytes]:
        return [head for visitor in self.visitors for head in visitor.heads]

    @property
    def paths(self) -> list[str]:
        return [head.split(b" ")[1].decode() for head in self.heads]

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"


@asynccontextmanager
async def serve(script: Script, tls: ssl.SSLContext | None = None) -> AsyncIterator[Origin]:
    """A server for as long as the context lasts; `script` runs for each connection, which ends with it."""
    running: set[asyncio.Task[None]] = set()
    origin = Origin(0)

    async def visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        running.add(task)
        visitor = Visitor(reader, writer)
        origin.visitors.append(visitor)
        try:
            await script(visitor)
            writer.close()
            await writer.wait_closed()
        except (ConnectionError, asyncio.CancelledError, ssl.SSLError):
            pass
        finally:
            writer.transport.abort()
            running.discard(task)

    server = await asyncio.start_server(visit, "127.0.0.1", 0, ssl=tls)
    origin.port = server.sockets[0].getsockname()[1]
    try:
        yield origin
    finally:
        server.close()
        ending = list(running)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)


def answering(*answers: bytes) -> Script:
    """Each request gets the next answer, the last one over and over, on connections that stay open."""
    left = list(answers)

    async def script(visitor: Visitor) -> None:
        while await visitor.request():
            await visitor.send(left.pop(0) if len(left) > 1 else left[0])

    return script


def once(*parts: bytes) -> Script:
    """One request, these bytes, and goodbye."""

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(*parts)

    return script


def page(body: bytes = b"hello", *headers: bytes, status: bytes = b"200 OK") -> bytes:
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def lookup_loopback(name: str) -> Sequence[str]:
    return ["127.0.0.1"]


def resolution(policy: Policy = ANYWHERE, **given: Any) -> Resolution:
    return Resolution(
        **{"policy": policy, "lookup": lookup_loopback, "neighbourhood": lambda: NOWHERE, **given}
    )


@asynccontextmanager
async def exchanging(
    *, limits: Limits | None = None, policy: Policy = ANYWHERE, dial: Dial = dial, **given: Any
) -> AsyncIterator[Exchanger]:
    exchanger = Exchanger(
        user_agent="RondaBot/test (+https://ronda.example/bot)",
        limits=limits or Limits(),
        resolution=given.pop("resolution", None) or resolution(policy),
        pool=given.pop("pool", None) or Pool(),
        tls=given.pop("tls", None) or _TLS,
        dial=dial,
        **given,
    )
    try:
        yield exchanger
    finally:
        exchanger.close()
        # Aborted transports are told so in the next turn of the loop.
        await asyncio.sleep(0)


async def ask(exchanger: Exchanger, url: str, method: Method = Method.GET, **given: Any) -> Outcome:
    return await exchanger.exchange(method, canonicalise(url, ANYWHERE), **given)


def answer_to(script: Script, *, limits: Limits | None = None, method: Method = Method.GET) -> Outcome:
    """What comes of one request to a server with this script."""

    async def scenario() -> Outcome:
        async with serve(script) as origin, exchanging(limits=limits) as exchanger:
            return await ask(exchanger, origin.url(), method)

    return run(scenario())


def exchange_of(outcome: Outcome) -> Exchange:
    assert isinstance(outcome, Exchange), outcome
    return outcome


def failure_of(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome


def run(scenario: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(scenario, PATIENCE_SECONDS))
