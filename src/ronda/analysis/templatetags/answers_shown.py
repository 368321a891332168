"""Values of answers in cells."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext

register = template.Library()

MOST_LETTERS = 400


@register.filter
def cell(value: Any) -> str:
    """Numbers as the reader's language writes them, whole ones grouped; lists by commas; long texts cut."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, int):
        return str(number_format(value, force_grouping=abs(value) >= 10_000))
    if isinstance(value, float):
        return str(number_format(f"{value:.6g}" if abs(value) < 1e6 else f"{value:.2f}", force_grouping=True))
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(map(str, value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…"


@register.filter
def in_words(text: str) -> str:
    """Titles of questions, cautions and reasons in the reader's language; what people wrote stays as it is."""
    return gettext(text) if text else ""
