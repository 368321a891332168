"""What can go wrong with credits.

RondaError
├── BalanceTooSmall     (PaymentRequired)
├── KeyTaken            (Conflict)
└── NotThatMuch         (Conflict)
"""

from __future__ import annotations

from ronda.errors import Conflict, PaymentRequired


class BalanceTooSmall(PaymentRequired):
    """Your balance does not cover this fetch."""


class KeyTaken(Conflict):
    """This key was used for another booking. Give a new one, or repeat the same booking."""


class NotThatMuch(Conflict):
    """There is not that much on the account."""
