"""What a predictor makes of a source's history, and of what was seen of its relatives on the same host. No database."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from ronda.prediction import catalogue
from ronda.prediction.contract import Predictor, Terms
from ronda.prediction.single import Followed, Observation, informed
from ronda.rounds.observing import History
from ronda.rounds.schedule import LONGEST_SECONDS, Forecast

_FIRST = np.zeros(1, dtype=np.int64)


def informed_of(
    name: str, history: History, *, now: datetime, terms: Terms, relatives: Sequence[History] = ()
) -> Predictor:
    """A predictor that knows all that was seen: the source is its number 0."""
    sources = [_followed(one) for one in (history, *relatives)]
    return informed(name, sources, now=now, terms=terms)


def learns_from_relatives(name: str) -> bool:
    return catalogue.make(name).learns_across


def forecast(predictor: Predictor, now: datetime, every_seconds: int | None = None) -> Forecast:
    """`every_seconds`: when it is visited whatever the predictor says; the chance is that of then."""
    seconds = now.timestamp()
    # What a predictor holds for impossible is infinitely far.
    at = min(float(predictor.next_visit(_FIRST, seconds)[0]), seconds + LONGEST_SECONDS)
    reason = predictor.reason(0, seconds)
    return Forecast(
        at=datetime.fromtimestamp(at, UTC),
        because=reason.text,
        values=reason.values,
        chance=chance_at(predictor, seconds + every_seconds if every_seconds else at),
    )


def chance_at(predictor: Predictor, at: float) -> float | None:
    """None where the predictor does not say."""
    chance = float(predictor.chance(_FIRST, np.array([at]))[0])
    return None if math.isnan(chance) else min(max(chance, 0.0), 1.0)


def wants_signals(predictor: Predictor) -> bool:
    return bool(predictor.wants_notices(_FIRST)[0])


def _followed(history: History) -> Followed:
    looks = [Observation(look.at, look.is_changed, look.modified_at) for look in history.looks]
    return Followed(looks, history.signals, weight=history.weight)
