"""Answers as pictures: a number, bars, a line. What is drawn is decided here, for the console and for a page alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ronda.analysis.questions.model import Drawing

MOST_BARS = 24
WIDTH, HEIGHT = 300.0, 60.0


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    # Of the longest one, from 0 to 100.
    share: float
    is_negative: bool = False


@dataclass(frozen=True)
class Series:
    name: str
    bars: list[Bar] = field(default_factory=list)
    points: str = ""
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class Picture:
    kind: str
    series: list[Series]
    first: str = ""
    last: str = ""
    left_out: int = 0


def picture_of(drawing: Drawing, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Picture | None:
    """None: a table says it best, or there is nothing to draw."""
    wanted = [name for name in drawing.y if name in columns]
    if drawing.kind == "table" or not wanted or not rows:
        return None
    labels = [str(row[columns.index(drawing.x)]) if drawing.x in columns else "" for row in rows]
    values = {name: [_number(row[columns.index(name)]) for row in rows] for name in wanted}
    if drawing.kind == "number":
        first = {name: numbers[0] for name, numbers in values.items()}
        shown = [Series(name, [Bar("", value, 100)]) for name, value in first.items() if value is not None]
        return Picture("number", shown) if shown else None
    lines = [_line(name, numbers) for name, numbers in values.items()] if drawing.kind == "line" else []
    if drawn := [line for line in lines if line.points]:
        return Picture("line", drawn, labels[0], labels[-1])
    # A line needs two points; one alone is a bar.
    bars = [_bars(name, labels, numbers) for name, numbers in values.items()]
    return Picture("bar", bars, left_out=max(0, len(rows) - MOST_BARS))


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _bars(name: str, labels: Sequence[str], numbers: Sequence[float | None]) -> Series:
    shown = list(zip(labels, numbers, strict=True))[:MOST_BARS]
    longest = max((abs(value) for _label, value in shown if value is not None), default=0) or 1
    bars = [
        Bar(label, value, round(100 * abs(value) / longest, 2), value < 0)
        for label, value in shown
        if value is not None
    ]
    return Series(name, bars)


def _line(name: str, numbers: Sequence[float | None]) -> Series:
    known = [(place, value) for place, value in enumerate(numbers) if value is not None]
    if len(known) < 2:
        return Series(name)
    low, high = min(0.0, *(value for _, value in known)), max(value for _, value in known)
    span = (high - low) or 1
    step = WIDTH / (len(numbers) - 1)
    points = " ".join(
        f"{place * step:.2f},{HEIGHT - (value - low) / span * (HEIGHT - 2) - 1:.2f}" for place, value in known
    )
    return Series(name, points=points, low=low, high=high)
