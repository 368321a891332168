"""Hosts behind one address, asked for the first time: only so many at the same moment.

A server knows which hosts share an address once they have answered, and keeps them apart from then on. What a host is
asked for first is its robots.txt: only the node, which has looked its name up, can tell who else stands there.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ronda_node.fetcher import Fetcher
from ronda_node.outcomes import FetchRequest

ROBOTS_PATH = "/robots.txt"
# Names are looked up before a slot is taken: not all of a block at once, or a slow resolver fails the last of them.
LOOKUPS_AT_ONCE = 16


class AddressGate:
    """One for all blocks of a node."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._taken: defaultdict[str, int] = defaultdict(int)
        self._waiting: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)
        self._lookups = asyncio.Semaphore(LOOKUPS_AT_ONCE)

    @asynccontextmanager
    async def place(self, request: FetchRequest, most: int) -> AsyncIterator[None]:
        """Held while the request is asked. `most`: places at one address; 0: the server has said nothing of it."""
        if not most or not request.url.endswith(ROBOTS_PATH):
            yield
            return
        async with self._lookups:
            address = await self._fetcher.address_of(request)
        if address is None:
            yield
            return
        await self._take(address, most)
        try:
            yield
        finally:
            self._give_back(address)

    async def _take(self, address: str, most: int) -> None:
        while self._taken[address] >= most:
            turn = asyncio.get_running_loop().create_future()
            self._waiting[address].append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._call_next(address)
                raise
        self._taken[address] += 1

    def _give_back(self, address: str) -> None:
        self._taken[address] -= 1
        self._call_next(address)
        if not self._taken[address] and not self._waiting[address]:
            del self._taken[address], self._waiting[address]

    def _call_next(self, address: str) -> None:
        waiting = self._waiting[address]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
