"""Two charts in SVG: what visits bring, and how far words can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ronda.prediction.calibration import Bin

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 40, 118, 10, 40
LABEL_GAP = 13
SMALL = 180
# Few enough that a scale can be read, and round.
MARKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Point:
    x: float
    y: float
    label: str


class _Frame:
    """From values to places: visits on a logarithmic scale, shares from 0 to 1."""

    def __init__(self, points: Sequence[Point]) -> None:
        present = [point.x for point in points if point.x > 0] or [1.0]
        self._low = math.log(min(present) / 1.15)
        self._high = math.log(max(present) * 1.15)
        self.marks = [mark for mark in MARKS if self._low <= math.log(mark) <= self._high]

    def x(self, value: float) -> float:
        share = (math.log(value) - self._low) / (self._high - self._low) if value > 0 else 0.0
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)


def scatter_chart(points: Sequence[Point], line: Sequence[Point], *, across: str, label: str) -> str:
    """`points` by name, beside a `line` of which some are named."""
    frame = _Frame([*points, *line])
    parts = [
        _axes(frame, across),
        f'<polyline class="fixed" points="{" ".join(f"{frame.x(p.x):.1f},{frame.y(p.y):.1f}" for p in line)}"/>',
        *(_dot(frame, point, "fixed-dot", 2) for point in line),
        *(
            f'<text class="faint" x="{frame.x(p.x) + 3:.1f}" y="{frame.y(p.y) + 14:.1f}">{escape(p.label)}</text>'
            for p in line
            if p.label
        ),
        *_labelled(frame, points),
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
        + "".join(parts)
        + "</svg>"
    )


def _axes(frame: _Frame, across: str) -> str:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = []
    for fifth in range(6):
        y = frame.y(fifth / 5)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>')
        parts.append(f'<text class="faint end" x="{LEFT - 5}" y="{y + 4:.1f}">{fifth * 20} %</text>')
    for mark in frame.marks:
        x = frame.x(mark)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        parts.append(f'<text class="faint middle" x="{x:.1f}" y="{bottom + 15}">{mark:g}</text>')
    middle = (LEFT + right) / 2
    parts.append(f'<text class="faint middle" x="{middle:.0f}" y="{HEIGHT - 8}">{escape(across)}</text>')
    return "".join(parts)


def _labelled(frame: _Frame, points: Sequence[Point]) -> list[str]:
    """Names stand in a column at the right, in the order of height, each led to its dot."""
    ordered = sorted(points, key=lambda point: -point.y)
    heights = _apart([frame.y(point.y) for point in ordered])
    column = WIDTH - RIGHT + 14
    parts = []
    for point, height in zip(ordered, heights, strict=True):
        x, y = frame.x(point.x), frame.y(point.y)
        parts.append(f'<path class="lead" d="M{x:.1f} {y:.1f}L{column - 3} {height:.1f}"/>')
        parts.append(f'<text x="{column}" y="{height + 4:.1f}">{escape(point.label)}</text>')
        parts.append(_dot(frame, point, "dot", 4))
    return parts


def _apart(heights: Sequence[float]) -> list[float]:
    """Moved as little as it takes that no two names overlap, and none leaves the picture."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + LABEL_GAP) if placed else height)
    lowest = HEIGHT - 8.0
    for number in reversed(range(len(placed))):
        placed[number] = min(placed[number], lowest)
        lowest = placed[number] - LABEL_GAP
    return placed


def _dot(frame: _Frame, point: Point, kind: str, radius: int) -> str:
    words = f"{point.label}: {point.x:.3g} visits a source and day, {point.y:.1%}"
    return (
        f'<circle class="{kind}" cx="{frame.x(point.x):.1f}" cy="{frame.y(point.y):.1f}" r="{radius}">'
        f"<title>{escape(words)}</title></circle>"
    )


def calibration_chart(name: str, bins: Sequence[Bin]) -> str:
    """Said across, happened upwards."""
    margin, side = 24, SMALL - 32
    most = max((one.looks for one in bins), default=1)
    dots = []
    for one in bins:
        radius = 2 + 5 * math.sqrt(one.looks / most)
        words = f"said {one.said:.0%}, happened {one.happened:.0%}, {one.looks:,} looks"
        dots.append(
            f'<circle class="dot" cx="{margin + one.said * side:.1f}" cy="{8 + (1 - one.happened) * side:.1f}" '
            f'r="{radius:.1f}" opacity="0.8"><title>{escape(words)}</title></circle>'
        )
    frame = f"M{margin} 8h{side}v{side}h-{side}zM{margin} {8 + side}L{margin + side} 8"
    return (
        f'<svg viewBox="0 0 {SMALL} {SMALL}" role="img" aria-label="{escape(name)}"><path class="grid" d="{frame}"/>'
        f'<text class="faint end" x="{margin - 3}" y="14">1</text>'
        f'<text class="faint end" x="{margin - 3}" y="{8 + side}">0</text>'
        f'<text class="faint end" x="{margin + side}" y="{SMALL - 8}">said: 1</text>'
        + "".join(dots)
        + "</svg>"
    )
