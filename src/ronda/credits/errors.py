"""What can go wrong with credits.

RondaError
├── BalanceTooSmall     (PaymentRequired)
└── NotThatMuch         (Conflict)
"""

from __future__ import annotations

from ronda.errors import Conflict, PaymentRequired


class BalanceTooSmall(PaymentRequired):
    """Your balance does not cover this fetch."""


class NotThatMuch(Conflict):
    """There is not that much on the account."""
