"""What every predictor is asked, and what it is told: numbers in, numbers out, many sources at a time.

Sources are numbered 0…n-1. Times are seconds since 1970, UTC, as floats. A predictor is told of looks and notices in
the order of time (per source; over all of them if it `learns_across`), and never of what has not happened yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

HOUR = 3600.0
DAY = 24 * HOUR

# A wish between the two: 1 counts versions only, 0 counts freshness only.
VERSIONS = 1.0
FRESHNESS = 0.0

# Kept nearly everywhere on the same date; who knows better says so.
COMMON_HOLIDAYS = frozenset({"01-01", "05-01", "12-25"})


@dataclass(frozen=True)
class Terms:
    """What a predictor is told when it is made.

    `objective`: from VERSIONS to FRESHNESS. `visits_per_day`: the budget a source, none without one. `argument`: what
    stands behind the colon of its name (`fixed:7`). `holidays`: dates (2025-04-18) or days of every year (12-25).
    """

    objective: float = VERSIONS
    visits_per_day: float | None = None
    argument: str = ""
    holidays: frozenset[str] = field(default=COMMON_HOLIDAYS)


@dataclass(frozen=True)
class Fleet:
    """What is known before the first look.

    `began`: when each source is first seen; that look is the baseline and is not reported again. `related`: the number
    of the site or group each belongs to. `weight`: how much each counts.
    """

    began: Floats
    related: Ints
    weight: Floats

    @property
    def size(self) -> int:
        return len(self.began)


@dataclass(frozen=True)
class Looks:
    """One look at each of some sources, each source at most once.

    `changed`: whether it differed from the look before. `modified_at`: what the source itself says about its last
    change (Last-Modified, lastmod of a sitemap), nan where it says nothing.
    """

    who: Ints
    at: Floats
    changed: Bools
    modified_at: Floats


@dataclass(frozen=True)
class Reason:
    """Why then: a sentence with gaps (a msgid for gettext) and what fills them, so that pages can translate it."""

    text: str
    values: dict[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text % self.values


class Predictor(Protocol):
    """`learns_across`: what is seen at one source may change what is thought of others."""

    @property
    def name(self) -> str: ...

    @property
    def learns_across(self) -> bool: ...

    def begin(self, fleet: Fleet) -> None: ...

    def look(self, looks: Looks) -> None: ...

    def notice(self, who: Ints, at: Floats) -> None:
        """Somebody says that these sources changed; each at most once a call."""

    def wants_notices(self, who: Ints) -> Bools:
        """Where being told of changes is worth its cost."""

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        """When it would go next, left alone; never before `now`."""

    def urgency(self, now: float) -> Floats:
        """Of every source: under a budget those with the highest go first.

        Minus infinity: rather not now, whatever is left; it is saved for later, within bounds.
        """

    def chance(self, who: Ints, at: Floats) -> Floats:
        """Probability that a look then finds a change; nan where the predictor does not say."""

    def reason(self, who: int, now: float) -> Reason: ...
