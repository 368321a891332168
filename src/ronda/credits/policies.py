"""The policies of credits: what a director sets."""

from __future__ import annotations

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from ronda.credits.amounts import MICROS, Price, to_micros
from ronda.policies.queries import value_of
from ronda.policies.registry import Kind, Policy, register

GROUP = _("Credits")

PRICE = register(
    Policy(
        name="price_per_thousand",
        group=GROUP,
        title=_("Price of a thousand URLs"),
        meaning=_("What a client pays per thousand URLs that were answered. 0: free of charge."),
        kind=Kind.AMOUNT,
        default=Decimal("0"),
        unit=_("credits"),
        low=0,
        high=1_000_000,
    )
)
OPERATOR_SHARE = register(
    Policy(
        name="operator_share",
        group=GROUP,
        title=_("Operator's share"),
        meaning=_(
            "How much of the price stays with the operator; the rest goes to those whose nodes fetched."
        ),
        kind=Kind.AMOUNT,
        default=Decimal("30"),
        unit=_("percent"),
        low=0,
        high=100,
    )
)
AUDIT_HOURS = register(
    Policy(
        name="audit_hours",
        group=GROUP,
        title=_("Audit window"),
        meaning=_(
            "What a contributor earned is settled after this long, unless its answers turn out to be wrong."
        ),
        kind=Kind.WHOLE,
        default=24,
        unit=_("hours"),
        low=0,
        high=8760,
    )
)


def price_now() -> Price:
    return Price(
        micros_per_thousand=to_micros(Decimal(value_of(PRICE))),
        operator_millionths=int(Decimal(value_of(OPERATOR_SHARE)) * MICROS / 100),
    )
