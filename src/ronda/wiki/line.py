"""A line to one wiki: HTTP on vetted addresses, one question at a time, in a thread of its own.

While a question is out, the caller may store what the last one brought.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from ronda_node.neighbourhood import Surveyor
from ronda_node.policy import Policy
from ronda_node.resolution import Resolution, SystemLookup

ANSWER_SECONDS = 90.0
CONNECT_SECONDS = 15.0
# The API ends an answer at 8 MiB of text; escaped as JSON that may be several times as much.
MOST_BYTES = 96 * 1024**2
JSON_TYPES = ("application/json", "application/problem+json")


@dataclass(frozen=True)
class Reply:
    """What came back. `data` is None where it is no JSON; `problem` says what went wrong, empty if nothing did."""

    status: int = 0
    data: Any = None
    headers: Mapping[str, str] | None = None
    problem: str = ""
    # By the clock that only goes forward.
    at_seconds: float = field(default_factory=time.monotonic)

    def header(self, name: str) -> str:
        return (self.headers or {}).get(name, "")


class _VettedResolver(AbstractResolver):
    """Only addresses that may be asked; the very answer that was vetted is connected to."""

    def __init__(self, resolution: Resolution) -> None:
        self._resolution = resolution

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolution.resolve(host, within_seconds=CONNECT_SECONDS)
        if not found.addresses:
            raise OSError(found.detail)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in found.addresses
        ]

    async def close(self) -> None:
        return


class Line:
    """`is_here`: the wiki is on this very machine, where packing and keeping connections is work for nothing."""

    def __init__(self, *, policy: Policy, user_agent: str, is_here: bool = False) -> None:
        self._policy = policy
        self._is_here = is_here
        self._headers = {"User-Agent": user_agent, "Accept": "application/json"}
        if is_here:
            self._headers["Accept-Encoding"] = "identity"
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="wiki")
        self._runner = asyncio.Runner()
        self._lookup = SystemLookup(policy)
        self._session: aiohttp.ClientSession | None = None

    def ask(self, url: str, parameters: Mapping[str, str]) -> Future[Reply]:
        return self._thread.submit(lambda: self._runner.run(self._ask(url, dict(parameters))))

    def close(self) -> None:
        """A question that is out is waited for: its time is limited."""
        self._thread.submit(self._hang_up).result()
        self._thread.shutdown()
        self._lookup.close()

    def _hang_up(self) -> None:
        if self._session:
            self._runner.run(self._session.close())
        self._runner.close()

    async def _ask(self, url: str, parameters: dict[str, str]) -> Reply:
        if self._session is None:
            self._session = self._open()
        try:
            async with self._session.get(url, params=parameters, allow_redirects=False) as answer:
                body = await self._body(answer)
                return _read(answer.status, answer.headers, answer.content_type, body)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            return Reply(problem=f"{type(error).__name__}: {error}"[:300])

    def _open(self) -> aiohttp.ClientSession:
        resolution = Resolution(policy=self._policy, lookup=self._lookup, neighbourhood=Surveyor())
        connector = aiohttp.TCPConnector(
            resolver=_VettedResolver(resolution), limit=1, use_dns_cache=False, force_close=self._is_here
        )
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS, connect=CONNECT_SECONDS)
        return aiohttp.ClientSession(connector=connector, timeout=timeout, headers=self._headers)

    async def _body(self, answer: aiohttp.ClientResponse) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in answer.content.iter_chunked(256 * 1024):
            size += len(piece)
            if size > MOST_BYTES:
                raise ValueError(f"an answer of more than {MOST_BYTES:,} bytes")
            pieces.append(piece)
        return b"".join(pieces)


def _read(status: int, headers: Mapping[str, str], kind: str, body: bytes) -> Reply:
    if kind not in JSON_TYPES:
        start = body[:80].decode("utf-8", "replace").strip()
        return Reply(status, None, headers, f"status {status}, {kind}: {start!r}")
    try:
        return Reply(status, json.loads(body), headers)
    except ValueError as error:  # cut off, or an error page behind the wrong type
        return Reply(status, None, headers, f"status {status}, JSON that ends early or is none: {error}")
