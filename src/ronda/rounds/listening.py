"""Who hears of a new version, and of its score: modules that register here, called inside the transaction of it."""

from __future__ import annotations

from collections.abc import Callable

from ronda.rounds.models import Version
from ronda.rounds.score_models import VersionScore

VersionListener = Callable[[Version], None]
ScoreListener = Callable[[VersionScore], None]
_listeners: list[VersionListener] = []
_score_listeners: list[ScoreListener] = []


def register_version_listener(listener: VersionListener) -> None:
    _listeners.append(listener)


def tell_version(version: Version) -> None:
    for listener in _listeners:
        listener(version)


def register_score_listener(listener: ScoreListener) -> None:
    _score_listeners.append(listener)


def tell_score(score: VersionScore) -> None:
    for listener in _score_listeners:
        listener(score)
