"""Time for leases: it never goes back, and it goes on while the machine sleeps."""

from __future__ import annotations

import time
from datetime import UTC, datetime

if hasattr(time, "CLOCK_BOOTTIME"):

    def steady_seconds() -> float:
        """On Linux `time.monotonic` stands still in suspend, and a lease would seem to live on."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:  # macOS counts sleep in CLOCK_MONOTONIC, Windows in its tick count.

    def steady_seconds() -> float:
        if hasattr(time, "CLOCK_MONOTONIC"):
            return time.clock_gettime(time.CLOCK_MONOTONIC)
        return time.monotonic()


def utc_now() -> datetime:
    return datetime.now(UTC)
