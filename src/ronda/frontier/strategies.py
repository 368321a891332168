"""Who is preferred for a job's URLs: never a rule, only a head start; then anybody may."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import StrEnum


class Strategy(StrEnum):
    """`equal`: all nodes the same count. `least_busy`: whoever asks. `nearest`: nodes of the host's country, then of
    its continent. `fastest`: nodes of the countries from which the host was quickest to answer."""

    EQUAL = "equal"
    LEAST_BUSY = "least_busy"
    NEAREST = "nearest"
    FASTEST = "fastest"


@dataclass(frozen=True)
class Preference:
    """Who else could take the work, and how long it is kept for them."""

    # Of the nodes that are present: a preference for somebody who is away would only cost time.
    nodes: tuple[uuid.UUID, ...] = ()
    countries: tuple[str, ...] = ()
    continents: tuple[str, ...] = ()
    head_start_seconds: float = 10.0
    # How much of a `fastest` job goes to countries nobody has tried for that host.
    explored_share: float = 0.1
