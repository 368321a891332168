"""Bar charts as numbers for a template: how high each bar is, and what stands at the axes. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

# The drawing's own units: it is stretched to whatever room there is, its words are not in it.
BAR_WIDTH = 10
GAP = 2
HEIGHT = 100


@dataclass(frozen=True)
class Bar:
    at: datetime
    value: float
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Chart:
    bars: list[Bar]
    top: float
    width: int

    @property
    def total(self) -> float:
        return sum(bar.value for bar in self.bars)

    @property
    def half(self) -> float:
        return self.top / 2

    @property
    def span(self) -> timedelta:
        return self.bars[-1].at - self.bars[0].at if self.bars else timedelta()

    @property
    def moments(self) -> list[datetime]:
        """First, middle and last, for the axis below; of few bars each once."""
        places = {0, len(self.bars) // 2, len(self.bars) - 1} if self.bars else set()
        return [self.bars[place].at for place in sorted(places)]


def chart_of(points: Sequence[tuple[datetime, float]], *, is_bytes: bool = False) -> Chart:
    top = round_top(max((value for _at, value in points), default=0), is_bytes=is_bytes)
    bars = []
    for number, (at, value) in enumerate(points):
        # What is there is seen, however small beside the others.
        height = max(1.5, HEIGHT * value / top) if value else 0.0
        bars.append(Bar(at, value, number * BAR_WIDTH + GAP / 2, round(HEIGHT - height, 2), round(height, 2)))
    return Chart(bars, top, len(points) * BAR_WIDTH)


@dataclass(frozen=True)
class NamedBar:
    name: str
    value: float
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class NamedChart:
    """Bars of things that are no moments: years, weekdays, groups of an answer."""

    bars: list[NamedBar]
    top: float
    width: int


def named_chart_of(points: Sequence[tuple[str, float]]) -> NamedChart:
    top = round_top(max((value for _name, value in points), default=0), is_bytes=False)
    bars = []
    for number, (name, value) in enumerate(points):
        height = max(1.5, HEIGHT * value / top) if value > 0 else 0.0
        bars.append(
            NamedBar(name, value, number * BAR_WIDTH + GAP / 2, round(HEIGHT - height, 2), round(height, 2))
        )
    return NamedChart(bars, top, max(1, len(points)) * BAR_WIDTH)


def round_top(value: float, *, is_bytes: bool) -> float:
    """The next number that halves to a round one: 2, 4, 6, 8, 10, 20 …; of bytes, the next power of two."""
    if value <= 2:
        return 2
    if is_bytes:
        return float(2 ** math.ceil(math.log2(value)))
    power = float(10 ** int(math.log10(value)))
    return next(step * power for step in (2, 4, 6, 8, 10, 20) if step * power >= value)
