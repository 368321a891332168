"""Predictors and fixed frequencies side by side: what each would have seen, lost, stored and cost. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ronda.prediction import catalogue
from ronda.prediction.comparison import FIXED_DAYS
from ronda.prediction.contract import DAY, Terms
from ronda.prediction.scoring import Score, captured_rows, score
from ronda.prediction.simulator import Run, Way, run
from ronda.prediction.traces import Course

MOST_MARKS = 4000


@dataclass(frozen=True)
class Row:
    """As the document compares: changes, lost, storage, visits, frequency; and what else tells them apart.

    `frequency`: visits a source and day. `bytes_stored`: of versions it would have kept; none where sizes are unknown.
    `copies_bytes`: with every needless visit stored as well, as archives without a probe do.
    """

    predictor: str
    visits: int
    changes: int
    captured: int
    lost: int
    needless: int
    bytes_stored: float | None
    copies_bytes: float | None
    freshness: float
    mean_delay_hours: float | None
    frequency: float
    log_loss: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Marks:
    """What a timeline shows, in seconds since 1970: changes captured and lost, visits that found one or none."""

    began: float
    end: float
    captured: list[float]
    lost: list[float]
    found: list[float]
    needless: list[float]


def rows_of(course: Course, names: Sequence[str], terms: Terms, way: Way) -> Iterator[Row]:
    """One after the other, so that a job can say how far it is."""
    for name in names:
        yield row_of(name, course, run(course, catalogue.make(name, terms), way))


def fixed_names() -> tuple[str, ...]:
    return tuple(f"fixed:{days}" for days in FIXED_DAYS)


def row_of(name: str, course: Course, done: Run) -> Row:
    found = score(course, done)
    source_days = float((course.end - course.began).sum()) / DAY
    return Row(
        predictor=name,
        visits=found.visits,
        changes=found.changes,
        captured=found.captured,
        lost=found.missed,
        needless=found.needless,
        bytes_stored=found.bytes_stored,
        copies_bytes=_with_copies(found),
        freshness=found.freshness,
        mean_delay_hours=found.mean_delay_hours,
        frequency=found.visits / source_days if source_days > 0 else 0.0,
        log_loss=found.log_loss,
    )


def _with_copies(found: Score) -> float | None:
    """A needless visit would store what an average one did."""
    if found.bytes_stored is None or not found.stored:
        return found.bytes_stored
    return found.bytes_stored * (1 + found.needless / found.stored)


def marks_of(course: Course, done: Run) -> Marks:
    """Of one source; the run has kept its visits."""
    captured = captured_rows(course, done)
    lost = course.is_change & ~captured
    visits = done.log
    is_change = visits.changed if visits else np.empty(0, dtype=np.bool_)
    at = visits.at if visits else np.empty(0)
    return Marks(
        began=course.start,
        end=course.end,
        captured=_some(course.at[captured]),
        lost=_some(course.at[lost]),
        found=_some(at[is_change]),
        needless=_some(at[~is_change]),
    )


def _some(moments: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float]:
    """The latest, as many as can be drawn."""
    return [float(moment) for moment in moments[-MOST_MARKS:]]
