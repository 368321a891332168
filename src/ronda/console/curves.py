"""Two numbers of many things as dots, some of them joined by a line, for a template to draw. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ronda.console.charts import round_top

# The drawing's own units; its words are not in it.
WIDTH = 600
HEIGHT = 240
MARGIN = 8


@dataclass(frozen=True)
class Point:
    """`is_marked`: the one that is talked about."""

    name: str
    x: float
    y: float
    is_marked: bool = False


@dataclass(frozen=True)
class Dot:
    point: Point
    x: float
    y: float


@dataclass(frozen=True)
class Curve:
    dots: list[Dot]
    line: list[Dot]
    right: float
    top: float

    @property
    def path(self) -> str:
        return " ".join(f"{dot.x},{dot.y}" for dot in self.line)


def curve_of(points: Sequence[Point], joined: Sequence[Point]) -> Curve:
    """Both axes begin at nothing and end at the next round number; what lies at the end is not cut off."""
    everything = [*points, *joined]
    right = round_top(max((point.x for point in everything), default=0), is_bytes=False)
    top = round_top(max((point.y for point in everything), default=0), is_bytes=False)

    def placed(point: Point) -> Dot:
        x = MARGIN + (WIDTH - 2 * MARGIN) * point.x / right
        y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * point.y / top
        return Dot(point, round(x, 1), round(y, 1))

    return Curve([placed(point) for point in points], [placed(point) for point in joined], right, top)
