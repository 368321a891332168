"""The policies of the grid: among them the grid document's configuration variables."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

GROUP = _("Grid")

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
