"""The policies of the jobs room."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

KEEP_DAYS = register(
    Policy(
        name="job_keep_days",
        group=_("Jobs"),
        title=_("Keep ended jobs"),
        meaning=_("Jobs that ended longer ago are forgotten, with their result."),
        kind=Kind.WHOLE,
        default=90,
        unit=_("days"),
        low=1,
        high=3650,
    )
)
