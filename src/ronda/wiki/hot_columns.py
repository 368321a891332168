"""Authors and days of all revisions in memory, and how often each page, account and size is there.

Grouping ten million names takes the engine most of a second; counting numbers that stand for names, a tenth of that.
The columns belong to one snapshot and are used for that one only (`hot_reading.py`), so answers are exact. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ronda.wiki.filters import Filters

EPOCH = date(1990, 1, 1)  # before any wiki; 16 bits reach to 2169
# What is computed on the way stays small: a mask is a byte a row, and counting makes numbers of eight.
SLICE = 1_000_000

Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
# Some of the rows, and which of them pass; None: all.
Part = tuple[slice, Mask | None]
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

    def most(self, passing: Iterable[Part]) -> tuple[list[Found], int]:
        counts = np.zeros(len(self.names) + 1, dtype=np.int64)
        for part, mask in passing:
            counts += np.bincount(_kept(self.codes[part], mask), minlength=len(counts))
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
        if filters == Filters():
            return len(self.days)
        return sum(int(np.count_nonzero(mask)) for _, mask in self._passing(filters) if mask is not None)

    def mode(self, filters: Filters, attribute: str) -> tuple[list[Found], int]:
        """The most frequent values, in order, and how often they are there."""
        if attribute in self.tallies:
            return self.tallies[attribute].most()
        passing = self._passing(filters)
        return self.authors.most(passing) if attribute == "user" else self._most_days(passing)

    def _most_days(self, passing: Iterable[Part]) -> tuple[list[Found], int]:
        counts = np.zeros(2**16, dtype=np.int64)
        for part, mask in passing:
            counts += np.bincount(_kept(self.days[part], mask), minlength=len(counts))
        places, most = _top(counts)
        return [((EPOCH + timedelta(days=int(place))).isoformat(), None) for place in places], most

    def _passing(self, filters: Filters) -> Iterator[Part]:
        """Which rows the filters let pass, part by part."""
        code = None if filters.user is None else self.authors.code_of(filters.user)
        for start in range(0, len(self.days), SLICE):
            part = slice(start, start + SLICE)
            yield part, None if filters == Filters() else self._mask(filters, part, code)

    def _mask(self, filters: Filters, part: slice, code: int | None) -> Mask:
        days = self.days[part]
        kept = np.ones(len(days), dtype=np.bool_)
        if filters.user is not None:
            kept &= self.authors.codes[part] == code if code is not None else np.False_
        for first, last in ((filters.date, filters.date), (filters.datestart, filters.dateend)):
            if first is not None:
                kept &= days >= day_number(first)
            if last is not None:
                kept &= days <= day_number(last)
        return kept


def _kept(values: npt.NDArray[Any], mask: Mask | None) -> npt.NDArray[Any]:
    return values if mask is None else values[mask]


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
