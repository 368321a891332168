"""Who hears of a new version: rooms and modules that register here, called inside the transaction that makes it."""

from __future__ import annotations

from collections.abc import Callable

from ronda.rounds.models import Version

VersionListener = Callable[[Version], None]
_listeners: list[VersionListener] = []


def register_version_listener(listener: VersionListener) -> None:
    _listeners.append(listener)


def tell_version(version: Version) -> None:
    for listener in _listeners:
        listener(version)
