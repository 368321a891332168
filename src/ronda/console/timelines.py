"""A stretch of time as lanes of marks, for a template to draw. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

# The drawing's own units: it is stretched to whatever room there is.
WIDTH = 1000
LANE = 24
MARK_WIDTH = 2.0
# Marks nearer than this would lie on each other.
GRAIN = 1.5


@dataclass(frozen=True)
class Mark:
    x: float
    y: int
    kind: str


@dataclass(frozen=True)
class Timeline:
    """`ticks`: some moments for the axis below, evenly apart."""

    marks: list[Mark]
    ticks: list[datetime]
    height: int
    span: timedelta


def timeline_of(
    began: float, end: float, lanes: Sequence[Mapping[str, Sequence[float]]], ticks: int = 3
) -> Timeline:
    """A lane maps kinds of marks to their moments, in seconds since 1970; later kinds are drawn above earlier ones."""
    length = max(end - began, 1.0)
    marks = [
        Mark(x, number * LANE, kind)
        for number, lane in enumerate(lanes)
        for kind, moments in lane.items()
        for x in _places(moments, began, length)
    ]
    return Timeline(
        marks,
        [datetime.fromtimestamp(began + length * step / (ticks - 1), UTC) for step in range(ticks)],
        len(lanes) * LANE,
        timedelta(seconds=length),
    )


def _places(moments: Sequence[float], began: float, length: float) -> list[float]:
    """Each place once."""
    room = WIDTH - MARK_WIDTH
    steps = {round((moment - began) / length * room / GRAIN) for moment in moments}
    return [round(min(max(step * GRAIN, 0.0), room), 1) for step in sorted(steps)]
