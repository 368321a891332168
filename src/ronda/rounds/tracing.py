"""Ronda's own visits as a trace, for the simulator: when each source was seen to have changed.

What changed twice between two visits is in it once, and between them nobody knows when: where the source does not say
(Last-Modified), the middle is taken.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from ronda.prediction.traces import Trace
from ronda.rounds.models import Source, Version
from ronda.rounds.observing import History, history_of

COLUMNS = ("source", "changed_at", "size_bytes", "notified_at")


@dataclass(frozen=True)
class Change:
    """One row. The first of a source is what was there when it was first seen."""

    source: str
    at: datetime
    size_bytes: int | None = None
    told_at: datetime | None = None


def changes_of(name: str, history: History, sizes: dict[datetime, int]) -> Iterator[Change]:
    """`sizes`: what was stored, by the time its visit was opened."""
    if not history.looks:
        return
    first = history.looks[0]
    yield Change(name, first.at, sizes.get(first.at))
    told = list(history.signals)
    for before, look in pairwise(history.looks):
        if not look.is_changed:
            continue
        heard = next((at for at in told if before.at < at <= look.at), None)
        yield Change(name, _between(before.at, look.at, look.modified_at), sizes.get(look.at), heard)


def _between(before: datetime, after: datetime, modified_at: datetime | None) -> datetime:
    if modified_at and before < modified_at <= after:
        return modified_at
    return before + (after - before) / 2


def changes_of_sources(sources: Sequence[Source]) -> Iterator[Change]:
    """By URL; of two sources with the same one, with their ids."""
    urls = Counter(source.url for source in sources)
    for source in sources:
        name = source.url if urls[source.url] == 1 else f"{source.url}#{source.pk}"
        yield from changes_of(name, history_of(source), sizes_of(source))


def sizes_of(source: Source) -> dict[datetime, int]:
    kept = Version.objects.filter(source=source, forgotten_at=None)
    return dict(kept.values_list("visit__opened_at", "bytes_stored"))


def trace_of(changes: Iterable[Change]) -> Trace | None:
    """As the simulator takes it, in the order it wants; none without a single row."""
    rows = sorted(changes, key=lambda change: (change.source, change.at))
    if not rows:
        return None
    names = tuple(dict.fromkeys(row.source for row in rows))
    numbers = {name: number for number, name in enumerate(names)}
    told = sorted((row.told_at.timestamp(), numbers[row.source]) for row in rows if row.told_at)
    return Trace(
        names=names,
        who=np.array([numbers[row.source] for row in rows], dtype=np.int64),
        at=np.array([row.at.timestamp() for row in rows]),
        # Each is another content: a version was kept.
        content=np.arange(len(rows), dtype=np.int64),
        size_bytes=np.array([math.nan if row.size_bytes is None else row.size_bytes for row in rows]),
        told_who=np.array([who for _, who in told], dtype=np.int64),
        told_at=np.array([at for at, _ in told], dtype=np.float64),
    )


def as_csv(changes: Iterable[Change]) -> Iterator[str]:
    """As `ronda simulate` reads it."""
    yield _line(COLUMNS)
    for change in changes:
        size = "" if change.size_bytes is None else str(change.size_bytes)
        yield _line((change.source, _moment(change.at), size, _moment(change.told_at)))


def _line(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _moment(at: datetime | None) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}" if at else ""
