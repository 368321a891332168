"""Finding good slots by trying: more while that fetches more, fewer where fewer fetch as much."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ronda_node.slots import Slots

STEP = 1.5
LEAST_GAIN = 0.05
HOLD_ROUNDS = 12
ROUND_SECONDS = 5.0


class Climber:
    """Fed with the throughput of each round, it says how many slots the next one has."""

    def __init__(self, *, size: int = 8, least: int = 1, most: int = 256) -> None:
        self.size = size
        self._least = least
        self._most = most
        self._is_rising = True
        self._known_size = size
        self._known_rate: float | None = None
        self._hold_rounds = 0

    def observe(self, rate: float, *, was_full: bool) -> int:
        """`was_full`: somebody waited for a slot; else the rate says nothing about slots."""
        if not was_full:
            return self.size
        if self._known_rate is None:
            self._known_rate = rate
            return self._step()
        if self._hold_rounds:
            self._hold_rounds -= 1
            self._known_rate = 0.7 * self._known_rate + 0.3 * rate
            return self.size if self._hold_rounds else self._step()
        least = self._known_rate * (1 + LEAST_GAIN if self._is_rising else 1 - LEAST_GAIN)
        if rate >= least:
            self._known_size, self._known_rate = self.size, max(rate, self._known_rate)
            return self._step()
        return self._step_back()

    def _step(self) -> int:
        wanted = self._known_size * STEP if self._is_rising else self._known_size / STEP
        size = max(self._least, min(self._most, round(wanted)))
        if size == self._known_size:
            return self._step_back()
        self.size = size
        return size

    def _step_back(self) -> int:
        """Where it was good, for a while; then the other way is tried."""
        self.size = self._known_size
        self._is_rising = not self._is_rising
        self._hold_rounds = HOLD_ROUNDS
        return self.size


async def climb(
    slots: Slots, climber: Climber, fetched_count: Callable[[], int], *, round_seconds: float = ROUND_SECONDS
) -> None:
    """Until cancelled."""
    loop = asyncio.get_running_loop()
    slots.resize(climber.size)
    while True:
        count, began = fetched_count(), loop.time()
        slots.has_been_full = False
        await asyncio.sleep(round_seconds)
        rate = (fetched_count() - count) / (loop.time() - began)
        slots.resize(climber.observe(rate, was_full=slots.has_been_full))
