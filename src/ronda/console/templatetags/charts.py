"""Bar charts of what happened when, and calendars of a year: drawn on the server, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils import formats, timezone

from ronda.console.calendars import CELL, calendar_of
from ronda.console.charts import BAR_WIDTH, GAP, chart_of
from ronda.http.numbers import whole

register = template.Library()


@register.inclusion_tag("console/chart.html")
def chart(steps: Sequence[Any], field: str, title: str, kind: str = "", unit: str = "") -> dict[str, Any]:
    """`steps` have a moment `at`; `field` is what is drawn. `unit="bytes"` for sizes; `kind` names a colour."""
    is_bytes = unit == "bytes"
    shown = chart_of([(step.at, getattr(step, field)) for step in steps], is_bytes=is_bytes)
    words = filesizeformat if is_bytes else whole
    return {
        "title": title,
        "kind": kind,
        "chart": shown,
        "bars": [
            (bar, f"{_moment(bar.at, shown.span)} · {words(bar.value)}") for bar in shown.bars if bar.height
        ],
        "bar_width": BAR_WIDTH - GAP,
        "ticks": [words(shown.top), words(shown.half), words(0)],
        "moments": [_moment(at, shown.span) for at in shown.moments],
        "total": words(shown.total),
        "most": words(max((bar.value for bar in shown.bars), default=0)),
    }


@register.inclusion_tag("console/calendar.html")
def calendar(days: Mapping[date, Any], title: str) -> dict[str, Any]:
    """The last year; `days` have a `kind`, which is a colour, and `words`."""
    drawn = calendar_of({day: found.kind for day, found in days.items()}, timezone.now().date())
    return {
        "title": title,
        "calendar": drawn,
        "size": CELL,
        "cells": [
            (cell, formats.date_format(cell.day, "j M Y"), days[cell.day].words if cell.day in days else "")
            for cell in drawn.cells
        ],
    }


@register.filter
def step_moment(at: datetime, steps: Sequence[Any]) -> str:
    return _moment(at, steps[-1].at - steps[0].at)


def _moment(at: datetime, span: timedelta) -> str:
    """The time of day, the day where there are several, the year where it is long. All in UTC, as everywhere."""
    if span < timedelta(hours=20):
        return formats.date_format(at, "H:i")
    return formats.date_format(at, "j M H:i" if span < timedelta(days=20) else "j M Y")
