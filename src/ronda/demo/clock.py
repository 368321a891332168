"""The demo's clock: it can run faster than real time, stand still, or be moved by a test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from ronda.demo.errors import ClockError


class DemoClock:
    """Demo time as a straight line over the monotonic clock; every move starts a new line.

    `speed` is demo seconds per real second; 0 freezes the clock. Safe to use from several threads.
    """

    def __init__(
        self,
        start: datetime | None = None,
        *,
        speed: float = 1.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lock = threading.Lock()
        self._monotonic = monotonic
        self._anchor_moment = _aware(start or datetime.now(UTC))
        self._anchor_seconds = monotonic()
        self._speed = _checked_speed(speed)

    @property
    def speed(self) -> float:
        return self._speed

    def now(self) -> datetime:
        with self._lock:
            return self._now()

    def set_speed(self, speed: float) -> None:
        with self._lock:
            self._move_to(self._now())
            self._speed = _checked_speed(speed)

    def set(self, moment: datetime) -> None:
        """Jump to a moment, also backwards: pages then look as they did."""
        with self._lock:
            self._move_to(_aware(moment))

    def advance(self, step: timedelta) -> datetime:
        """Jump forward and say where the clock stands now."""
        if step < timedelta(0):
            raise ClockError(f"The demo clock cannot advance by {step}: use set() to go back.")
        with self._lock:
            try:
                self._move_to(self._now() + step)
            except OverflowError:
                raise ClockError(f"The demo clock cannot advance by {step}: years end at 9999.") from None
            return self._anchor_moment

    def _now(self) -> datetime:
        elapsed_seconds = (self._monotonic() - self._anchor_seconds) * self._speed
        return self._anchor_moment + timedelta(seconds=elapsed_seconds)

    def _move_to(self, moment: datetime) -> None:
        self._anchor_moment = moment
        self._anchor_seconds = self._monotonic()


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ClockError(
            f"{moment.isoformat()} has no time zone: give an aware moment, such as {moment.isoformat()}Z."
        )
    return moment.astimezone(UTC)


def _checked_speed(speed: float) -> float:
    if not 0 <= speed <= 1e9:
        raise ClockError(f"The demo clock cannot run at speed {speed}: give 0 (frozen) to 1e9.")
    return speed
