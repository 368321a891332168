"""The policies of the frontier."""

from __future__ import annotations

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from ronda.frontier.politeness import Pace
from ronda.policies.queries import value_of
from ronda.policies.registry import Kind, Policy, register

GROUP = _("Politeness")

DELAY_FLOOR = register(
    Policy(
        name="delay_floor_seconds",
        group=GROUP,
        title=_("Least delay"),
        meaning=_("A host is left alone at least this long between two fetches."),
        kind=Kind.AMOUNT,
        default=Decimal("1"),
        unit=_("seconds"),
        low=0,
        high=3600,
    )
)
DELAY_CAP = register(
    Policy(
        name="delay_cap_seconds",
        group=GROUP,
        title=_("Longest delay"),
        meaning=_("However slow a host is or whatever it asks for, it is fetched this often."),
        kind=Kind.AMOUNT,
        default=Decimal("120"),
        unit=_("seconds"),
        low=1,
        high=86400,
    )
)
LATENCY_FACTOR = register(
    Policy(
        name="delay_latency_factor",
        group=GROUP,
        title=_("Delay by latency"),
        meaning=_("The delay is at least this many times what the last answer took."),
        kind=Kind.AMOUNT,
        default=Decimal("5"),
        low=0,
        high=100,
    )
)
FIRST_BACKOFF = register(
    Policy(
        name="first_backoff_seconds",
        group=GROUP,
        title=_("First rest"),
        meaning=_(
            "A host that answers 429 or 503 is left alone so long, or as long as it asks for if that is longer; twice "
            "as long each time it happens again, up to a day."
        ),
        kind=Kind.WHOLE,
        default=60,
        unit=_("seconds"),
        low=1,
        high=86400,
    )
)
HOSTS_PER_ADDRESS = register(
    Policy(
        name="hosts_per_address",
        group=GROUP,
        title=_("Hosts of one address at a time"),
        meaning=_("How many hosts behind one IP address are fetched at the same time."),
        kind=Kind.WHOLE,
        default=2,
        low=1,
        high=1000,
    )
)


def pace_now() -> Pace:
    return Pace(
        floor_seconds=float(value_of(DELAY_FLOOR)),
        cap_seconds=float(value_of(DELAY_CAP)),
        latency_factor=float(value_of(LATENCY_FACTOR)),
        first_backoff_seconds=float(value_of(FIRST_BACKOFF)),
    )
