"""The policies of the grid: among them the grid document's configuration variables."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.frontier.strategies import Strategy
from ronda.policies.queries import value_of
from ronda.policies.registry import Kind, Policy, register

GROUP = _("Grid")

# How far two clocks may drift apart in a lease, and how long a request may be on its way to the host.
SKEW_SECONDS = 5.0

STRATEGY = register(
    Policy(
        name="strategy",
        group=GROUP,
        title=_("Strategy"),
        meaning=_(
            "Who is preferred for a fetch, unless its client says otherwise. equal: all nodes get the same number of "
            "URLs. least_busy: whoever asks. nearest: nodes of the host's country, then of its continent. fastest: "
            "nodes of the countries where the host was quickest to answer."
        ),
        kind=Kind.ONE_OF,
        default=Strategy.LEAST_BUSY.value,
        choices=tuple(strategy.value for strategy in Strategy),
    )
)
HEAD_START_SECONDS = register(
    Policy(
        name="head_start_seconds",
        group=GROUP,
        title=_("Head start"),
        meaning=_("So long a host is kept for the nodes a strategy prefers; then anybody may fetch it."),
        kind=Kind.WHOLE,
        default=10,
        unit=_("seconds"),
        low=0,
        high=600,
    )
)
VANTAGE_WAIT_SECONDS = register(
    Policy(
        name="vantage_wait_seconds",
        group=GROUP,
        title=_("Waiting for a country"),
        meaning=_("A URL that is to be fetched from a country fails if no node of it was there for so long."),
        kind=Kind.WHOLE,
        default=120,
        unit=_("seconds"),
        low=0,
        high=86400,
    )
)
BLOCK_URLS = register(
    Policy(
        name="block_urls",
        group=GROUP,
        title=_("Block size"),
        meaning=_("How many URLs a node is given at most at a time."),
        kind=Kind.WHOLE,
        default=200,
        unit=_("URLs"),
        low=1,
        high=5000,
    )
)
LEASE_SECONDS = register(
    Policy(
        name="task_timeout_seconds",
        group=GROUP,
        title=_("Task timeout"),
        meaning=_("A node that was not heard from for so long loses its hosts to others."),
        kind=Kind.WHOLE,
        default=120,
        unit=_("seconds"),
        low=10,
        high=3600,
    )
)
LONGEST_FETCH_SECONDS = register(
    Policy(
        name="longest_fetch_seconds",
        group=GROUP,
        title=_("Longest fetch"),
        meaning=_(
            "A node gives up a URL after so long. A host whose node fell silent rests so long, and a little longer, "
            "before another asks it."
        ),
        kind=Kind.WHOLE,
        default=120,
        unit=_("seconds"),
        low=1,
        high=3600,
    )
)
WAIT_SECONDS = register(
    Policy(
        name="waiting_nodes_seconds",
        group=GROUP,
        title=_("Waiting nodes"),
        meaning=_("A node that got nothing asks again after about this long."),
        kind=Kind.WHOLE,
        default=5,
        unit=_("seconds"),
        low=1,
        high=600,
    )
)
CACHE_SECONDS = register(
    Policy(
        name="cache_seconds",
        group=GROUP,
        title=_("Cache time"),
        meaning=_(
            "A URL fetched less long ago is answered from the archive, unless the client says otherwise."
        ),
        kind=Kind.WHOLE,
        default=0,
        unit=_("seconds"),
        low=0,
        high=31_536_000,
    )
)
MOST_ATTEMPTS = register(
    Policy(
        name="most_attempts",
        group=GROUP,
        title=_("Attempts"),
        meaning=_("How often a URL that cannot be fetched is tried before it ends as failed."),
        kind=Kind.WHOLE,
        default=3,
        low=1,
        high=20,
    )
)
FIRST_RETRY_SECONDS = register(
    Policy(
        name="first_retry_seconds",
        group=GROUP,
        title=_("First retry"),
        meaning=_(
            "A URL that could not be fetched is tried again after so long; twice as long each further time."
        ),
        kind=Kind.WHOLE,
        default=30,
        unit=_("seconds"),
        low=1,
        high=86400,
    )
)


def guard_seconds() -> float:
    """So long after a lease ended its node may still be fetching."""
    return float(value_of(LONGEST_FETCH_SECONDS)) + SKEW_SECONDS
