"""A bar chart of what happened when: drawn on the server, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils import formats

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


@register.filter
def step_moment(at: datetime, steps: Sequence[Any]) -> str:
    return _moment(at, steps[-1].at - steps[0].at)


def _moment(at: datetime, span: timedelta) -> str:
    """The time of day, and the day where there are several. All in UTC, as everywhere."""
    return formats.date_format(at, "H:i" if span < timedelta(hours=20) else "j M H:i")
