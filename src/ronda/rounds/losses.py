"""How many changes nobody saw: a visit tells that there was at least one, not how many. Pure.

Changes come at a rate λ; of a visit that found one after t days, λt / (1 − e^(−λt)) are to be expected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Half a day with a change and half a day without: what is seen once or twice is no proof of never or always.
PRIOR_DAYS = 0.5
SLOWEST, FASTEST = 1e-5, 48.0  # changes a day
STEPS = 60


@dataclass(frozen=True)
class Look:
    """After so many days since the look before."""

    days: float
    is_changed: bool


def rate_per_day(looks: Sequence[Look]) -> float:
    """The most likely rate for looks at uneven intervals (Cho and Garcia-Molina), by bisection."""
    changed = [PRIOR_DAYS, *(look.days for look in looks if look.is_changed and look.days > 0)]
    quiet_days = PRIOR_DAYS + sum(look.days for look in looks if not look.is_changed)
    low, high = SLOWEST, FASTEST
    for _ in range(STEPS):
        middle = math.sqrt(low * high)
        # Falls as the rate grows.
        if sum(days / math.expm1(min(middle * days, 700.0)) for days in changed) > quiet_days:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def lost(looks: Sequence[Look]) -> float:
    """Changes beyond the one that each visit found."""
    if not any(look.is_changed for look in looks):
        return 0.0
    rate = rate_per_day(looks)
    return sum(expected(rate * look.days) - 1 for look in looks if look.is_changed)


def expected(mean: float) -> float:
    """Of a Poisson number that is at least one."""
    return mean / -math.expm1(-mean) if mean > 1e-9 else 1.0
