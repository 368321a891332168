"""Moments and durations. The script shows moments as "3 minutes ago"; without it they are plain UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


@register.filter
def moment(value: datetime | None) -> SafeString | str:
    if value is None:
        return "–"
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-relative>{} UTC</time>', f"{utc:%FT%TZ}", f"{utc:%Y-%m-%d %H:%M:%S}"
    )


@register.filter
def until(value: datetime | None) -> SafeString | str:
    """A moment that may lie ahead: "in 3 minutes"."""
    if value is None:
        return "–"
    utc = value.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-relative="ahead">{} UTC</time>',
        f"{utc:%FT%TZ}",
        f"{utc:%Y-%m-%d %H:%M:%S}",
    )


@register.filter
def duration(seconds: float | None) -> str:
    """The two largest units: 2 h 5 min. The letters are those of the SI and its friends, in any language."""
    if seconds is None:
        return "–"
    if 0 < seconds < 0.1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{number_format(seconds, decimal_pos=1)} s"
    rest = int(seconds)
    words: list[str] = []
    for size, unit in _UNITS:
        number, rest = divmod(rest, size)
        if number or words:
            words.append(f"{number} {unit}")
    return " ".join(words[:2])
