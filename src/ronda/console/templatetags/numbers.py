"""Numbers in templates."""

from __future__ import annotations

from django import template

from ronda.http import numbers

register = template.Library()


@register.filter
def whole(number: float | None) -> str:
    return "–" if number is None else numbers.whole(number)


@register.filter
def percent(share: float) -> str:
    return numbers.whole(100 * share)


@register.filter
def rate(number: float | None) -> str:
    return "–" if number is None else numbers.rate(number)
