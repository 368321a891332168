"""What the node is at, for its owner and for the server."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ronda_node.held_block import HeldBlock

RATE_TURNS = 30


@dataclass
class Status:
    """One event loop's; nobody else writes it. `held` are the blocks in hand, by id."""

    fetched_count: int = 0
    talking: str = "starting"
    resting_because: str = ""
    # Requests in hand that were cancelled meanwhile, as the server said last.
    unwanted: frozenset[str] = frozenset()
    held: dict[str, HeldBlock] = field(default_factory=dict)
    leaving: asyncio.Event = field(default_factory=asyncio.Event)
    _counts: deque[int] = field(default_factory=lambda: deque(maxlen=RATE_TURNS))

    def turn(self) -> None:
        """Once a second."""
        self._counts.append(self.fetched_count)

    @property
    def urls_per_second(self) -> float:
        if len(self._counts) < 2:
            return 0.0
        return (self._counts[-1] - self._counts[0]) / (len(self._counts) - 1)

    @property
    def pending(self) -> int:
        return sum(block.pending for block in self.held.values())

    @property
    def doing(self) -> str:
        if self.leaving.is_set():
            return "leaving"
        if self.resting_because:
            return f"resting: {self.resting_because}"
        if self.talking:
            return self.talking
        return f"fetching: {self.fetched_count} URLs so far, {self.pending} in hand"

    async def sleep(self, seconds: float) -> None:
        """Until then, or until it is time to leave."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.leaving.wait()
