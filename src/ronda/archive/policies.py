"""The policies of the archive."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

GROUP = _("Archive")

TEXT_LETTERS = register(
    Policy(
        name="text_letters",
        group=GROUP,
        title=_("Text kept for the search"),
        meaning=_("How much of a page's text can be found; what is behind it cannot."),
        kind=Kind.WHOLE,
        default=100_000,
        unit=_("letters a page"),
        low=1_000,
        high=500_000,
    )
)
