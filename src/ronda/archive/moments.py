"""Moments as indexes of archives write them: up to fourteen digits, 20260131235959; fewer mean a longer time."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta

from ronda.errors import InvalidInput

DIGITS = 14
EARLIEST = "00000101000000"
LATEST = "99991231235959"
_FORMAT = "%Y%m%d%H%M%S"


def stamp_of(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(_FORMAT)


def first_second(stamp: str, *, field: str) -> datetime:
    """The beginning of what `stamp` names: 202602 → 1 February 2026, 00:00:00."""
    return _parsed(stamp, EARLIEST, field)


def last_second(stamp: str, *, field: str) -> datetime:
    """Its last second: 202602 → 28 February 2026, 23:59:59."""
    return _parsed(stamp, LATEST, field)


def end_of(stamp: str, *, field: str) -> datetime:
    """What comes just behind it."""
    return last_second(stamp, field=field) + timedelta(seconds=1)


def _parsed(stamp: str, filling: str, field: str) -> datetime:
    digits = "".join(character for character in stamp if character not in "-:T Z")
    if not digits.isascii() or not digits.isdigit() or not 4 <= len(digits) <= DIGITS or digits[:4] < "0001":
        raise _refusal(stamp, field)
    filled = digits + filling[len(digits) :]
    try:
        days = calendar.monthrange(int(filled[:4]), int(filled[4:6]))[1]
        day = min(int(filled[6:8]), days) if len(digits) < 8 else int(filled[6:8])
        moment = datetime.strptime(f"{filled[:6]}{day:02}{filled[8:]}", _FORMAT).replace(tzinfo=UTC)
        return min(moment, datetime.max.replace(tzinfo=UTC) - timedelta(days=2))
    except (ValueError, calendar.IllegalMonthError):
        raise _refusal(stamp, field) from None


def _refusal(stamp: str, field: str) -> InvalidInput:
    return InvalidInput(
        f"{field} is no moment: {stamp[:40]!r}.",
        field=field,
        hint="Examples: 2026, 202601, 2026-01-31, 20260131235959.",
    )
