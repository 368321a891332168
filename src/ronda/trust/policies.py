"""The policies of trust: what a director sets."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

GROUP = _("Trust")

UNFOUNDED_REPORTS = register(
    Policy(
        name="unfounded_reports_a_day",
        group=GROUP,
        title=_("Unfounded reports"),
        meaning=_(
            "A client whose reports of wrong answers did not hold so often within a day can make no more until the "
            "next: each costs the sites another fetch or two."
        ),
        kind=Kind.WHOLE,
        default=50,
        unit=_("a day"),
        low=1,
        high=100_000,
    )
)
