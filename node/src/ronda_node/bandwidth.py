"""A cap on bytes per second over all connections: a bucket that refills, and may run into debt by one read."""

from __future__ import annotations

import time
from collections.abc import Callable


class Bandwidth:
    """`bytes_per_second=None` is no cap; the bytes are counted all the same."""

    def __init__(
        self,
        bytes_per_second: float | None = None,
        *,
        burst_seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total_bytes = 0
        self._rate = bytes_per_second
        self._burst_bytes = (bytes_per_second or 0.0) * burst_seconds
        self._clock = clock
        self._level = self._burst_bytes
        self._filled_at = clock()

    def take(self, count: int) -> float:
        """Note that `count` bytes came; for how many seconds nothing more may be read."""
        self.total_bytes += count
        if self._rate is None:
            return 0.0
        now = self._clock()
        self._level = min(self._burst_bytes, self._level + (now - self._filled_at) * self._rate) - count
        self._filled_at = now
        return max(0.0, -self._level / self._rate)
