"""Authors and days of all revisions in memory, and how often each page, account and size is there.

Grouping ten million names takes the engine most of a second; counting numbers that stand for names, a tenth of that.
The columns belong to one snapshot and are used for that one only (`hot_reading.py`), so answers are exact. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ronda.wiki.filters import Filters

EPOCH = date(1990, 1, 1)  # before any wiki; 16 bits reach to 2169
# What is computed on the way stays small: counting makes numbers of eight bytes.
SLICE = 1_000_000

Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
# A value, and the wiki it stands in where that matters.
Found = tuple[Any, str | None]


@dataclass(frozen=True)
class Authors:
    """`codes[n] - 1` is the place in `names` of the n-th revision's author; 0 stands for a hidden one."""

    names: Any
    codes: npt.NDArray[np.uint32]

    def code_of(self, name: str) -> int | None:
        found = int(pc.index(self.names, pa.scalar(name, self.names.type)).as_py())
        return found + 1 if found >= 0 else None

    def most(self, passing: Mask | None) -> tuple[list[Found], int]:
        counts = np.zeros(len(self.names) + 1, dtype=np.int64)
        for start in range(0, len(self.codes), SLICE):
            codes = self.codes[start : start + SLICE]
            kept = codes if passing is None else codes[passing[start : start + SLICE]]
            counts += np.bincount(kept, minlength=len(counts))
        places, most = _top(counts[1:])
        return [(name, None) for name in sorted(self.names[int(place)].as_py() for place in places)], most


@dataclass(frozen=True)
class Tally:
    """How often each value is there; a value of one wiki (an id, a title) stands beside its wiki."""

    values: Any
    wikis: Any
    counts: Counts

    def most(self) -> tuple[list[Found], int]:
        places, most = _top(self.counts)
        return sorted(
            (self.values[int(place)].as_py(), self.wikis[int(place)].as_py()) for place in places
        ), most


@dataclass(frozen=True)
class HotColumns:
    """Of one snapshot."""

    snapshot: tuple[str, int]
    authors: Authors
    days: npt.NDArray[np.uint16]
    tallies: Mapping[str, Tally]

    def count(self, filters: Filters) -> int:
        passing = self._passing(filters)
        return len(self.days) if passing is None else int(np.count_nonzero(passing))

    def mode(self, filters: Filters, attribute: str) -> tuple[list[Found], int]:
        """The most frequent values, in order, and how often they are there."""
        if attribute in self.tallies:
            return self.tallies[attribute].most()
        passing = self._passing(filters)
        return self.authors.most(passing) if attribute == "user" else self._most_days(passing)

    def _most_days(self, passing: Mask | None) -> tuple[list[Found], int]:
        counts = np.bincount(self.days if passing is None else self.days[passing])
        places, most = _top(counts.astype(np.int64))
        return [((EPOCH + timedelta(days=int(place))).isoformat(), None) for place in places], most

    def _passing(self, filters: Filters) -> Mask | None:
        """Which rows the filters let pass; None: all."""
        if filters == Filters():
            return None
        kept = np.ones(len(self.days), dtype=np.bool_)
        if filters.user is not None:
            code = self.authors.code_of(filters.user)
            kept &= self.authors.codes == code if code is not None else np.False_
        for first, last in ((filters.date, filters.date), (filters.datestart, filters.dateend)):
            if first is not None:
                kept &= self.days >= day_number(first)
            if last is not None:
                kept &= self.days <= day_number(last)
        return kept


def _top(counts: Counts) -> tuple[npt.NDArray[np.int64], int]:
    most = int(counts.max()) if len(counts) else 0
    return (np.flatnonzero(counts == most) if most else np.array([], dtype=np.int64)), most


def day_number(day: date) -> int:
    return min(2**16 - 1, max(0, (day - EPOCH).days))


def serves(filters: Filters, attribute: str | None = None) -> bool:
    """Whether the columns know all that is asked for; where an article is named, the engine reads little."""
    if attribute in (None, "user", "date"):
        others = (filters.title, filters.pageid, filters.userid, filters.tag, filters.size, filters.wikis)
        return all(other is None for other in others)
    return filters == Filters()
