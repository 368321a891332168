"""How long a host is left alone: the numbers, and nothing else. What a host's state is, sql/ decides with them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime

LONGEST_BACKOFF_SECONDS = 24 * 3600.0
BACKOFF_JITTER = 0.1
# After this long without another incident, or the last rest if that was longer, counted from its end, the next one
# is the first again.
BACKOFF_FORGOTTEN_SECONDS = 30 * 60.0
# What a host's 429s taught is halved after each such time with good answers.
LEARNED_HALVED_SECONDS = 24 * 3600.0
LEAST_LEARNED_SECONDS = 1.0
# What a node that nobody knows yet says: a host that it calls busy rests for a minute, or as long as the first rest
# is, and others ask next; a host that it calls slow is no slower than this.
UNPROVEN_RETRY_AFTER_SECONDS = 60.0
UNPROVEN_LATENCY_SECONDS = 2.0
# What is said by a trusted one, and by nobody else: others ask next.
UNCONFIRMED_REST_SECONDS = 15 * 60.0
TOO_MANY_REQUESTS = 429
STATUSES_THAT_ASK_FOR_REST = frozenset({429, 503})


@dataclass(frozen=True)
class Pace:
    """How fast hosts may be asked, as the director set it."""

    floor_seconds: float = 1.0
    cap_seconds: float = 120.0
    latency_factor: float = 5.0
    first_backoff_seconds: float = 60.0


@dataclass(frozen=True)
class Rests:
    """How often in a row a host asked for rest, when it last did, and until when it was left alone."""

    count: int
    asked_at: datetime | None
    until: datetime | None


def incidents_with(rests: Rests, *, leased_at: datetime, now: datetime) -> int:
    """The how-manieth incident in a row this is. What was under way when the last one came belongs to it."""
    if rests.asked_at is None or rests.until is None:
        return 1
    if leased_at <= rests.asked_at:
        return max(1, rests.count)
    last_rest_seconds = (rests.until - rests.asked_at).total_seconds()
    quiet_seconds = (now - rests.until).total_seconds()
    return 1 if quiet_seconds > max(BACKOFF_FORGOTTEN_SECONDS, last_rest_seconds) else rests.count + 1


def unlearned_seconds(pace: Pace, learned_seconds: float) -> float:
    """Half of what was learned; nothing once that is no more than anybody's delay."""
    half = learned_seconds / 2
    return half if half > max(pace.floor_seconds, LEAST_LEARNED_SECONDS) else 0.0


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
