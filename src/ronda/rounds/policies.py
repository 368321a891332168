"""The policies of the rounds."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.archive.vocabulary import COLLECTIONS
from ronda.policies.registry import Kind, Policy, register

GROUP = _("Following")

MOST_OPEN_VISITS = register(
    Policy(
        name="most_open_visits",
        group=GROUP,
        title=_("Visits at a time"),
        meaning=_("When so many visits are under way, others that are due wait."),
        kind=Kind.WHOLE,
        default=100,
        unit=_("visits"),
        low=1,
        high=100_000,
    )
)
DEFAULT_COLLECTION = register(
    Policy(
        name="default_collection",
        group=GROUP,
        title=_("Collection if none is said"),
        meaning=_("Where a source goes that is followed without naming a collection."),
        kind=Kind.ONE_OF,
        default="cultural",
        choices=tuple(COLLECTIONS),
    )
)
