"""Histories of changes: one row a change, sources behind each other, each in the order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ronda.prediction.contract import DAY, Bools, Floats, Ints
from ronda.prediction.errors import BadTerms


@dataclass(frozen=True)
class Trace:
    """`who` and `at` of every change. `content`: numbers that are equal where contents are, negative where nothing is
    known of them. `size_bytes`: nan where it is not known. `told_who`, `told_at`: notices, in the order of time."""

    names: tuple[str, ...]
    who: Ints
    at: Floats
    content: Ints
    size_bytes: Floats
    told_who: Ints
    told_at: Floats


def trace_of(names: tuple[str, ...], who: Ints, at: Floats) -> Trace:
    """Changes and nothing else; in any order."""
    order = np.lexsort((at, who))
    size = len(at)
    nothing = np.empty(0)
    return Trace(
        names=names,
        who=who[order],
        at=at[order],
        content=unknown_contents(size),
        size_bytes=np.full(size, np.nan),
        told_who=nothing.astype(np.int64),
        told_at=nothing,
    )


def unknown_contents(size: int) -> Ints:
    """Each differs from every other."""
    return -1 - np.arange(size)


@dataclass(frozen=True)
class Course:
    """A trace as the simulator goes through it.

    Of every source a row for what is there at the beginning and a row a change until `end`; `first` says where each
    source's rows begin, `next_at` when the next row of the same source comes (never: infinite).
    """

    names: tuple[str, ...]
    related: Ints
    began: Floats
    end: float
    first: Ints
    who: Ints
    at: Floats
    next_at: Floats
    content: Ints
    size_bytes: Floats
    told_who: Ints
    told_at: Floats

    @property
    def start(self) -> float:
        return float(self.began.min())

    @property
    def is_change(self) -> Bools:
        """Rows that are changes, not what was there."""
        changes = np.ones(len(self.at), dtype=np.bool_)
        changes[self.first] = False
        return changes


def course_of(trace: Trace, start: float | None = None, end: float | None = None) -> Course:
    """A source is followed from its first row on, or from `start` with what it was then, until `end`.

    Without `end` until the end of the day of the last change.
    """
    if end is None:
        end = float(np.floor(trace.at.max() / DAY) + 1) * DAY
    if start is not None and start >= end:
        raise BadTerms(
            "The simulation ends before it begins.", hint="Give --from and --to the other way round."
        )
    # What a source is when it is first looked at: its last row by then, should several stand at one time.
    first_at = trace.at[np.searchsorted(trace.who, trace.who)]
    is_past = trace.at <= (first_at if start is None else np.maximum(first_at, start))
    is_last_past = is_past & np.append((trace.who[1:] != trace.who[:-1]) | ~is_past[1:], True)
    kept = (trace.at <= end) & (~is_past | is_last_past)
    if not kept.any() or trace.at[kept].min() >= end:
        raise BadTerms("Nothing happens between --from and --to.")
    who, at = trace.who[kept], trace.at[kept]
    present, who = np.unique(who, return_inverse=True)
    first = np.searchsorted(who, np.arange(len(present)))
    began = at[first] if start is None else np.maximum(at[first], start)
    is_told = np.isin(trace.told_who, present)
    told_who = np.searchsorted(present, trace.told_who[is_told])
    told_at = trace.told_at[is_told]
    is_within = (told_at > began[told_who]) & (told_at <= end)
    names = tuple(trace.names[number] for number in present)
    return Course(
        names=names,
        related=related_numbers(names),
        began=began,
        end=end,
        first=first,
        who=who,
        at=at,
        next_at=np.append(np.where(who[1:] == who[:-1], at[1:], np.inf), np.inf),
        content=trace.content[kept],
        size_bytes=trace.size_bytes[kept],
        told_who=told_who[is_within],
        told_at=told_at[is_within],
    )


def related_numbers(names: tuple[str, ...]) -> Ints:
    """Sources of one site: the host of a URL, or what stands before the first slash."""
    sites = [_site(name) for name in names]
    numbers = {site: number for number, site in enumerate(dict.fromkeys(sites))}
    return np.array([numbers[site] for site in sites], dtype=np.int64)


def _site(name: str) -> str:
    scheme, _, rest = name.rpartition("://")
    site = rest.partition("/")[0]
    return site.lower() if scheme else site
