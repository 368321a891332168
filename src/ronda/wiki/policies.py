"""The policies of wikis."""

from __future__ import annotations

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from ronda.policies.registry import Kind, Policy, register

GROUP = _("Wikis")

DELAY = register(
    Policy(
        name="wiki_delay_seconds",
        group=GROUP,
        title=_("Pause between questions to a wiki"),
        meaning=_("Counted from its answer, over all machines together; a host's own delay goes before."),
        kind=Kind.AMOUNT,
        default=Decimal("1"),
        unit=_("seconds"),
        low=0,
        high=3600,
    )
)
MAXLAG = register(
    Policy(
        name="wiki_maxlag_seconds",
        group=GROUP,
        title=_("Lag of a wiki's databases that is put up with"),
        meaning=_("A wiki that is further behind says so, and is left alone for as long as it asks."),
        kind=Kind.WHOLE,
        default=10,
        unit=_("seconds"),
        low=1,
        high=3600,
    )
)
WIKIMEDIA_PER_MINUTE = register(
    Policy(
        name="wikimedia_requests_a_minute",
        group=GROUP,
        title=_("Questions to Wikimedia"),
        meaning=_(
            "To all its wikis together, from all machines. Wikimedia lets those who name a contact ask 200 times a "
            "minute."
        ),
        kind=Kind.WHOLE,
        default=180,
        unit=_("a minute"),
        low=1,
        high=200,
    )
)
RECHECKED = register(
    Policy(
        name="wiki_rechecked_revisions",
        group=GROUP,
        title=_("Revisions looked at again"),
        meaning=_(
            "At each visit, so many of the newest are compared again: tags and visibility change later."
        ),
        kind=Kind.WHOLE,
        default=50,
        low=1,
        high=500,
    )
)
CHANGES_EVERY = register(
    Policy(
        name="wiki_changes_seconds",
        group=GROUP,
        title=_("Recent changes are read every"),
        meaning=_(
            "Articles that a wiki's list of recent changes names are visited at once. 0: it is not read."
        ),
        kind=Kind.WHOLE,
        default=300,
        unit=_("seconds"),
        low=0,
        high=86400,
    )
)
