"""Amounts as the reader writes numbers."""

from __future__ import annotations

from decimal import Decimal

from django import template
from django.utils.formats import number_format

from ronda.credits.amounts import shown

register = template.Library()


@register.filter
def credits(micros: int) -> str:
    return str(number_format(Decimal(shown(micros)), use_l10n=True))
