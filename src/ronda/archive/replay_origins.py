"""Which origin a collection is replayed at: each its own, so that archived scripts of one cannot read another.

Straight from this machine, that is a port of its own beside RONDA_REPLAY_PORT, opened when the collection is first
shown. Behind a proxy it is a host name, where RONDA_REPLAY_URL has `{collection}` in its place; without that all share
one origin.
"""

from __future__ import annotations

import asyncio
import zlib
from contextlib import suppress

from aiohttp import web

from ronda.configuration import Configuration

# Above what servers are usually given, below what systems hand out to clients. The same one after a restart, if free.
FIRST_PORT, PORTS = 20_000, 12_000
TRIES = 50


class ReplayOrigins:
    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._ports: dict[str, int] = {}
        self._opening = asyncio.Lock()
        self.runner: web.AppRunner | None = None

    @property
    def are_apart(self) -> bool:
        return self._configuration.has_replay_origins

    async def elsewhere(self, request: web.Request, collection: str) -> str:
        """The origin a collection is shown at; nothing if that is where the request came to."""
        if not self.are_apart:
            return ""
        if self._configuration.replay_url:
            origin = self._configuration.replay_origin_of(collection)
            return "" if request.host == origin.partition("://")[2] else origin
        port = await self._port_of(collection)
        own = request.transport.get_extra_info("sockname")[1] if request.transport else 0
        return "" if own == port else str(request.url.origin().with_port(port))

    async def _port_of(self, collection: str) -> int:
        async with self._opening:
            if collection not in self._ports:
                self._ports[collection] = await self._listen(collection)
        return self._ports[collection]

    async def _listen(self, collection: str) -> int:
        if self.runner is None:
            raise RuntimeError("a collection is asked for before the guard runs")
        usual = zlib.crc32(f"{self._configuration.port_of_replay} {collection}".encode())
        for number in range(usual, usual + TRIES):
            port = FIRST_PORT + number % PORTS
            with suppress(OSError):  # taken by somebody else
                await web.TCPSite(self.runner, self._configuration.host, port).start()
                return port
        raise OSError(f"no port is free for {collection}")
