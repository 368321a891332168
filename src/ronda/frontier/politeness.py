"""How long a host is left alone: the numbers, and nothing else. What a host's state is, sql/ decides with them."""

from __future__ import annotations

import random
from dataclasses import dataclass

LONGEST_BACKOFF_SECONDS = 24 * 3600.0
BACKOFF_JITTER = 0.1
# After this long without another incident, the next one is the first again.
BACKOFF_FORGOTTEN_SECONDS = 30 * 60.0
STATUSES_THAT_ASK_FOR_REST = frozenset({429, 503})


@dataclass(frozen=True)
class Pace:
    """How fast hosts may be asked, as the director set it."""

    floor_seconds: float = 1.0
    cap_seconds: float = 120.0
    latency_factor: float = 5.0
    first_backoff_seconds: float = 60.0


def delay_seconds(pace: Pace, crawl_delay_seconds: float | None, latency_seconds: float | None) -> float:
    """The delay between the end of a fetch and the next: the largest of what anybody asks for, capped.

    Above the cap a host is fetched slowly all the same; never faster than the cap, and never dropped.
    """
    wanted = max(
        pace.floor_seconds, crawl_delay_seconds or 0.0, pace.latency_factor * (latency_seconds or 0.0)
    )
    return min(pace.cap_seconds, wanted)


def backoff_seconds(
    pace: Pace, incidents: int, retry_after_seconds: float | None, chance: random.Random
) -> float:
    """How long a host rests after its n-th incident in a row (n from 1): doubling, or what it asked for if longer."""
    doubled = min(LONGEST_BACKOFF_SECONDS, pace.first_backoff_seconds * 2.0 ** min(incidents - 1, 30))
    jittered = doubled * chance.uniform(1 - BACKOFF_JITTER, 1 + BACKOFF_JITTER)
    # `Retry-After: 0` is as good as no header at all.
    return min(LONGEST_BACKOFF_SECONDS, max(jittered, retry_after_seconds or 0.0))
