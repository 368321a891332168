"""Numbers as people read them, in their language."""

from __future__ import annotations

from django.utils.formats import number_format


def whole(number: float) -> str:
    """12,345"""
    return str(number_format(round(number), decimal_pos=0, force_grouping=True))


def rate(number: float) -> str:
    """As many digits as say something: 0.25, 3.1, 1,204."""
    digits = 0 if number >= 100 or number == 0 else 1 if number >= 1 else 2
    return str(number_format(number, decimal_pos=digits, force_grouping=True))
