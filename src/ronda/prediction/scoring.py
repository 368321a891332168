"""What a run is judged by."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ronda.prediction.calibration import Bin
from ronda.prediction.contract import HOUR, Bools, Floats, Ints
from ronda.prediction.simulator import Run
from ronda.prediction.traces import Course


@dataclass(frozen=True)
class Score:
    """A change is captured when a look falls after it and before the source's next change. `needless` looks found
    nothing new. `stored` are the versions kept, `reverts` those of them that were there before, of which only the mark
    is stored. `freshness`: share of the time in which the latest version is held. Delays: from a change to the next
    look, or to the end."""

    visits: int
    changes: int
    captured: int
    missed: int
    needless: int
    stored: int
    reverts: int
    bytes_stored: float | None
    freshness: float
    mean_delay_hours: float | None
    p90_delay_hours: float | None
    hit_rate: float | None
    log_loss: float | None
    calibration_error: float | None
    calibration: list[Bin]

    @property
    def captured_share(self) -> float | None:
        return self.captured / self.changes if self.changes else None

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "captured_share": self.captured_share}


def score(course: Course, run: Run) -> Score:
    is_change = course.is_change
    captured = captured_rows(course, run)
    visits, finds = int(run.visits.sum()), int(run.finds.sum())
    delays = (np.minimum(run.seen_at, course.end) - course.at)[is_change] / HOUR
    stored = _stored_rows(course, captured | ~is_change)
    is_revert = _seen_before(course, stored)
    return Score(
        visits=visits,
        changes=int(is_change.sum()),
        captured=int(captured.sum()),
        missed=int(is_change.sum() - captured.sum()),
        needless=visits - finds,
        stored=int((stored & is_change).sum()),
        reverts=int(is_revert.sum()),
        bytes_stored=_bytes(course, stored & is_change & ~is_revert),
        freshness=freshness(course, run),
        mean_delay_hours=float(delays.mean()) if delays.size else None,
        p90_delay_hours=float(np.quantile(delays, 0.9)) if delays.size else None,
        hit_rate=finds / visits if visits else None,
        log_loss=run.calibration.log_loss,
        calibration_error=run.calibration.error,
        calibration=run.calibration.bins(),
    )


def captured_rows(course: Course, run: Run) -> Bools:
    captured: Bools = course.is_change & (run.seen_at < course.next_at) & (run.seen_at <= course.end)
    return captured


def freshness(course: Course, run: Run) -> float:
    """A row is stale from its time until it is seen or followed by the next, whichever is first."""
    until = np.minimum(np.minimum(run.seen_at, course.next_at), course.end)
    stale = np.maximum(until - course.at, 0.0)[course.is_change].sum()
    followed = (course.end - course.began).sum()
    return float(1 - stale / followed) if followed > 0 else 1.0


def _stored_rows(course: Course, held: Bools) -> Bools:
    """Of the rows that were held those that differ from the one held before."""
    rows = np.flatnonzero(held)
    differs = np.ones(len(rows), dtype=np.bool_)
    differs[1:] = _keys(course, rows)[1:] != _keys(course, rows)[:-1]
    stored = np.zeros(len(held), dtype=np.bool_)
    stored[rows[differs]] = True
    return stored


def _seen_before(course: Course, stored: Bools) -> Bools:
    """Stored rows whose content the same source had been stored with earlier."""
    rows = np.flatnonzero(stored)
    _, first = np.unique(_keys(course, rows), return_index=True)
    before = stored.copy()
    before[rows[first]] = False
    return before


def _keys(course: Course, rows: Ints) -> Ints:
    """A number for each source and content."""
    lowest = int(course.content.min())
    contents = int(course.content.max()) - lowest + 1
    keys: Ints = course.who[rows] * contents + (course.content[rows] - lowest)
    return keys


def _bytes(course: Course, stored: Bools) -> float | None:
    sizes: Floats = course.size_bytes[stored]
    if not np.isfinite(course.size_bytes).any():
        return None
    return float(np.nansum(sizes))
