"""How often a source is visited, as people write it: 90s, 30m, 12h, 1d, 2w, or auto. Pure."""

from __future__ import annotations

import re

from ronda.errors import InvalidInput

AUTO = "auto"
PATTERN = r"^(auto|[1-9][0-9]{0,7}[smhdw])$"
LEAST_SECONDS = 60
MOST_SECONDS = 366 * 86_400
_UNITS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}


def seconds_of(text: str) -> int | None:
    """None for auto: Ronda finds it."""
    given = text.strip().lower()
    if given in (AUTO, ""):
        return None
    if not re.match(PATTERN, given):
        raise InvalidInput("Write how often as 90s, 30m, 12h, 1d, 2w, or auto.", field="every")
    return checked(int(given[:-1]) * _UNITS[given[-1]])


def checked(seconds: int) -> int:
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise InvalidInput("Visits are at least a minute apart, at most 366 days.", field="every")
    return seconds


def words_of(seconds: int | None) -> str:
    """The shortest form that `seconds_of` reads back: 1d, not 24h."""
    if seconds is None:
        return AUTO
    unit, size = next((unit, size) for unit, size in _UNITS.items() if seconds % size == 0)
    return f"{seconds // size}{unit}"
