"""The policies of the rounds."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

MOST_OPEN_VISITS = register(
    Policy(
        name="most_open_visits",
        group=_("Following"),
        title=_("Visits at a time"),
        meaning=_("When so many visits are under way, others that are due wait."),
        kind=Kind.WHOLE,
        default=100,
        unit=_("visits"),
        low=1,
        high=100_000,
    )
)
