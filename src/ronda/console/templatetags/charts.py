"""Bar charts of what happened when, calendars of a year, timelines, curves: drawn on the server, as SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import template
from django.template.defaultfilters import filesizeformat
from django.utils import formats, timezone

from ronda.console.calendars import CELL, calendar_of
from ronda.console.charts import BAR_WIDTH, GAP, chart_of, named_chart_of
from ronda.console.curves import HEIGHT as CURVE_HEIGHT
from ronda.console.curves import WIDTH as CURVE_WIDTH
from ronda.console.curves import Point, curve_of
from ronda.console.timelines import LANE, MARK_WIDTH, WIDTH, timeline_of
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


@register.inclusion_tag("console/bars.html")
def bars(points: Sequence[tuple[str, float]], title: str, kind: str = "") -> dict[str, Any]:
    """Names and numbers; the names below are the first, the middle and the last, or all of a few."""
    drawn = named_chart_of(points)
    names = [bar.name for bar in drawn.bars]
    return {
        "title": title,
        "kind": kind,
        "chart": drawn,
        "bars": [(bar, f"{bar.name} · {_number(bar.value)}") for bar in drawn.bars if bar.height],
        "bar_width": BAR_WIDTH - GAP,
        "ticks": [_number(drawn.top), _number(drawn.top / 2), _number(0)],
        "names": names if len(names) <= 7 else [names[0], names[len(names) // 2], names[-1]],
        "most": _number(max((bar.value for bar in drawn.bars), default=0)),
    }


def _number(value: float) -> str:
    return whole(value) if value == int(value) else formats.localize(round(value, 2))


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


@register.inclusion_tag("console/curve.html")
def curve(points: Sequence[Point], joined: Sequence[Point], title: str) -> dict[str, Any]:
    """Dots for `points`, a line of dots for `joined`: to the right and upwards is more."""
    drawn = curve_of(points, joined)
    return {
        "title": title,
        "curve": drawn,
        "width": CURVE_WIDTH,
        "height": CURVE_HEIGHT,
        "ticks": [whole(drawn.top), whole(drawn.top / 2), whole(0)],
        "ends": [whole(0), whole(drawn.right / 2), whole(drawn.right)],
    }


@register.inclusion_tag("console/timeline.html")
def timeline(shown: Any, title: str) -> dict[str, Any]:
    """`shown` has `began`, `end`, `lanes` (a name and marks by kind, which is a colour) and `words` to hear."""
    drawn = timeline_of(shown.began, shown.end, [marks for _name, marks in shown.lanes])
    return {
        "title": title,
        "words": shown.words,
        "timeline": drawn,
        "names": [name for name, _marks in shown.lanes],
        "lines": [number * LANE for number in range(len(shown.lanes))],
        "lane_height": LANE - 4,
        "width": WIDTH,
        "mark_width": MARK_WIDTH,
        "moments": [_moment(at, drawn.span) for at in drawn.ticks],
    }


@register.filter
def step_moment(at: datetime, steps: Sequence[Any]) -> str:
    return _moment(at, steps[-1].at - steps[0].at)


def _moment(at: datetime, span: timedelta) -> str:
    """The time of day, the day where there are several, the year where it is long. All in UTC, as everywhere."""
    # A single bar at midnight is a day's, or a week's.
    is_midnight = (at.hour, at.minute) == (0, 0)
    if span < timedelta(hours=20) and not (not span and is_midnight):
        return formats.date_format(at, "H:i")
    if span >= timedelta(days=20):
        return formats.date_format(at, "j M Y")
    return formats.date_format(at, "j M" if is_midnight else "j M H:i")
