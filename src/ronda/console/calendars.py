"""A year as a calendar: a square a day, a column a week, for a template to draw. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

# The drawing's own units.
CELL = 11
PITCH = 13
TOP = 16
WEEKS = 53


@dataclass(frozen=True)
class DayCell:
    day: date
    x: int
    y: int
    kind: str


@dataclass(frozen=True)
class MonthLabel:
    first: date
    x: int


@dataclass(frozen=True)
class Calendar:
    cells: list[DayCell]
    months: list[MonthLabel]
    width: int = WEEKS * PITCH
    height: int = TOP + 7 * PITCH


def calendar_of(kinds: Mapping[date, str], last: date) -> Calendar:
    """The 53 weeks (from Monday) that end with the week of `last`; days without a kind are drawn as empty."""
    first = last - timedelta(days=last.weekday(), weeks=WEEKS - 1)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    cells = [
        DayCell(day, number // 7 * PITCH, TOP + number % 7 * PITCH, kinds.get(day, ""))
        for number, day in enumerate(days)
    ]
    # A month is named above its first whole week, the first one only if there is room before the next.
    months = [MonthLabel(cell.day, cell.x) for cell in cells if cell.day.weekday() == 0 and cell.day.day <= 7]
    return Calendar(cells, [label for label in months if label.x <= (WEEKS - 2) * PITCH])
