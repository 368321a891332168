"""What a predictor says of sources that are really followed: their looks and notices in, the next visit and why out."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ronda.prediction import catalogue
from ronda.prediction.contract import Fleet, Looks, Predictor, Reason, Terms
from ronda.prediction.wording import gettext_noop

# What lies further back hardly matters to any predictor, and a source may have been looked at for years.
LOOKS_REMEMBERED = 500
NOT_SEEN = gettext_noop("It has not been looked at yet.")


@dataclass(frozen=True)
class Observation:
    """A look: when, whether it differed from the one before, and when the source says it last changed."""

    at: datetime
    changed: bool
    modified_at: datetime | None = None


@dataclass(frozen=True)
class Followed:
    """What is known of one source. The first observation is what there was at the beginning. `related`: the number of
    the site it belongs to."""

    observations: Sequence[Observation]
    notices: Sequence[datetime] = ()
    related: int = 0
    weight: float = 1.0


@dataclass(frozen=True)
class Outlook:
    """`chance`: of finding a change at `next_visit`, none where the predictor does not say."""

    next_visit: datetime
    chance: float | None
    reason: Reason


def outlook(
    predictor_name: str,
    observations: Sequence[Observation],
    notices: Sequence[datetime] = (),
    *,
    now: datetime,
    terms: Terms | None = None,
) -> Outlook:
    return outlooks(predictor_name, [Followed(observations, notices)], now=now, terms=terms)[0]


def outlooks(
    predictor_name: str, sources: Sequence[Followed], *, now: datetime, terms: Terms | None = None
) -> list[Outlook]:
    """Of several sources at once: one may teach a predictor about others. What was never looked at is due now."""
    predictor = informed(predictor_name, sources, now=now, terms=terms)
    remembered = [_recent(source, now) for source in sources]
    who = np.arange(len(sources))
    due = predictor.next_visit(who, now.timestamp())
    chances = predictor.chance(who, due)
    return [
        Outlook(
            next_visit=datetime.fromtimestamp(float(due[number]), UTC) if remembered[number] else now,
            chance=_or_none(float(chances[number])) if remembered[number] else None,
            reason=predictor.reason(number, now.timestamp()) if remembered[number] else Reason(NOT_SEEN),
        )
        for number in range(len(sources))
    ]


def informed(
    predictor_name: str, sources: Sequence[Followed], *, now: datetime, terms: Terms | None = None
) -> Predictor:
    """A predictor that was told all that is known of these sources, ready to be asked about each by its place."""
    predictor = catalogue.make(predictor_name, terms)
    remembered = [_recent(source, now) for source in sources]
    predictor.begin(_fleet(sources, remembered, now))
    for event in _batches(_events(sources, remembered, now)):
        _tell(predictor, event)
    return predictor


@dataclass(frozen=True, order=True)
class _Event:
    at: float
    who: int
    is_notice: bool
    changed: bool = False
    modified_at: float = math.nan


def _recent(source: Followed, now: datetime) -> Sequence[Observation]:
    return [seen for seen in source.observations[-LOOKS_REMEMBERED:] if seen.at <= now]


def _fleet(sources: Sequence[Followed], remembered: Sequence[Sequence[Observation]], now: datetime) -> Fleet:
    return Fleet(
        began=np.array([(looks[0].at if looks else now).timestamp() for looks in remembered]),
        related=np.array([source.related for source in sources], dtype=np.int64),
        weight=np.array([source.weight for source in sources]),
    )


def _events(
    sources: Sequence[Followed], remembered: Sequence[Sequence[Observation]], now: datetime
) -> Iterator[_Event]:
    """Looks after the baseline and notices, over all sources in the order of time."""
    looks = [
        _Event(
            seen.at.timestamp(),
            number,
            is_notice=False,
            changed=seen.changed,
            modified_at=seen.modified_at.timestamp() if seen.modified_at else math.nan,
        )
        for number, observations in enumerate(remembered)
        for seen in observations[1:]
    ]
    notices = [
        _Event(at.timestamp(), number, is_notice=True)
        for number, source in enumerate(sources)
        for at in source.notices
        if remembered[number] and remembered[number][0].at < at <= now
    ]
    yield from heapq.merge(sorted(looks, key=_time), sorted(notices, key=_time), key=_time)


def _time(event: _Event) -> float:
    return event.at


def _batches(events: Iterable[_Event]) -> Iterator[list[_Event]]:
    """As long as they are of one kind and no source comes twice, they can be told together."""
    batch: list[_Event] = []
    sources: set[int] = set()
    for event in events:
        if batch and (event.who in sources or event.is_notice != batch[0].is_notice):
            yield batch
            batch, sources = [], set()
        batch.append(event)
        sources.add(event.who)
    if batch:
        yield batch


def _tell(predictor: Predictor, batch: Sequence[_Event]) -> None:
    who = np.array([event.who for event in batch], dtype=np.int64)
    at = np.array([event.at for event in batch])
    if batch[0].is_notice:
        predictor.notice(who, at)
        return
    changed = np.array([event.changed for event in batch], dtype=np.bool_)
    modified_at = np.array([event.modified_at for event in batch])
    predictor.look(Looks(who, at, changed, modified_at))


def _or_none(chance: float) -> float | None:
    return None if math.isnan(chance) else chance
