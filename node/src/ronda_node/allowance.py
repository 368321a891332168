"""What the owner of this machine allows: bytes per month and hours of the day. Remembered over restarts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from ronda_node.errors import StateUnreadable

SAVE_BYTES = 16 * 1024 * 1024
_HOURS = re.compile(r"([01]?[0-9]|2[0-4])-([01]?[0-9]|2[0-4])")


@dataclass(frozen=True, slots=True)
class Hours:
    """From `begin` until `end` o'clock by this machine's clock, over midnight if need be."""

    begin: int
    end: int

    @classmethod
    def parse(cls, text: str) -> Hours:
        match = _HOURS.fullmatch(text.strip())
        if not match or int(match[1]) % 24 == int(match[2]) % 24:
            raise ValueError(f"{text!r} is not like 22-7, from 22:00 until 7:00.")
        return cls(int(match[1]) % 24, int(match[2]) % 24)

    def contains(self, hour: int) -> bool:
        if self.begin < self.end:
            return self.begin <= hour < self.end
        return hour >= self.begin or hour < self.end


@dataclass(frozen=True, slots=True)
class Rest:
    """Why there is no work now, and until when."""

    reason: str
    until: datetime


class Allowance:
    """`spend` what was received; `rest` says whether there is more to spend now."""

    def __init__(
        self,
        path: Path,
        *,
        bytes_per_month: int | None = None,
        hours: Hours | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self._path = path
        self._bytes_per_month = bytes_per_month
        self._hours = hours
        self._now = now
        self._month, self._spent_bytes = self._load()
        self._saved_bytes = self._spent_bytes

    @property
    def spent_bytes(self) -> int:
        """This month."""
        self._turn_page()
        return self._spent_bytes

    def spend(self, count: int) -> None:
        self._turn_page()
        self._spent_bytes += count
        if self._spent_bytes - self._saved_bytes >= SAVE_BYTES:
            self.save()

    def rest(self) -> Rest | None:
        now = self._now()
        if self._bytes_per_month is not None and self.spent_bytes >= self._bytes_per_month:
            return Rest("the bytes of this month are used up", _next_month(now))
        if self._hours and not self._hours.contains(now.hour):
            begin = now.replace(hour=self._hours.begin, minute=0, second=0, microsecond=0)
            return Rest("outside of the hours allowed", begin if begin > now else begin + timedelta(days=1))
        return None

    def save(self) -> None:
        """Whole or not at all: a power cut leaves the last state."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        aside = self._path.with_name(f"{self._path.name}.new")
        with aside.open("w") as file:
            json.dump({"month": self._month, "bytes": self._spent_bytes}, file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(self._path)
        self._saved_bytes = self._spent_bytes

    def _load(self) -> tuple[str, int]:
        try:
            state = json.loads(self._path.read_text())
            return str(state["month"]), int(state["bytes"])
        except FileNotFoundError:
            return _month_of(self._now()), 0
        except (ValueError, KeyError, TypeError) as error:
            raise StateUnreadable(
                f"{self._path} does not say how much was used this month ({error}). Delete it to count from zero."
            ) from error

    def _turn_page(self) -> None:
        month = _month_of(self._now())
        if month != self._month:
            self._month, self._spent_bytes, self._saved_bytes = month, 0, 0


def _month_of(moment: datetime) -> str:
    return f"{moment:%Y-%m}"


def _next_month(now: datetime) -> datetime:
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)
