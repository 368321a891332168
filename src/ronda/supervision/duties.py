"""What must be done once per database. A room declares a duty; the leader calls it when it is due.

A duty is short (well under a second): longer work it puts in the queue as a job. It may be cut off or run again
at any moment, so it is idempotent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Duty:
    name: str
    every_seconds: float
    perform: Callable[[], None]


_duties: list[Duty] = []


def duty(*, every_seconds: float) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def declare(perform: Callable[[], None]) -> Callable[[], None]:
        _duties.append(Duty(f"{perform.__module__}.{perform.__name__}", every_seconds, perform))
        return perform

    return declare


def all_duties() -> tuple[Duty, ...]:
    return tuple(_duties)
