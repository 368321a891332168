"""What a session holds, table by table, as pages and API show it."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Count, Max, Min, QuerySet, Sum

from ronda.analysis import asked
from ronda.analysis.models import Batch, Session


@dataclass
class TableState:
    """How much of a table has been acknowledged."""

    name: str
    is_required: bool = False
    batches: int = 0
    # How many its client said there are, once it closed.
    expected: int | None = None
    rows: int = 0
    dropped: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    body_bytes: int = 0
    segment_bytes: int = 0
    numbers: str = ""


@dataclass(frozen=True)
class Totals:
    batches: int
    rows: int
    dropped: int
    body_bytes: int
    segment_bytes: int
    seconds: float

    @property
    def rows_per_second(self) -> float | None:
        return self.rows / self.seconds if self.seconds > 0 else None

    @property
    def bytes_per_second(self) -> float | None:
        return self.body_bytes / self.seconds if self.seconds > 0 else None


def tables_of(session: Session) -> list[TableState]:
    """Those its questions are about, in their order."""
    wanted = asked.of_session(session)
    states = {name: TableState(name, is_required=name in wanted.required) for name in wanted.tables}
    for table, expected in session.closes.values_list("table", "batches"):
        states[table].expected = expected
    rows = Batch.objects.filter(session=session).order_by("table", "number")
    fields = ("table", "number", "rows", "dropped", "reasons", "body_bytes", "segment_bytes")
    for table, batches in groupby(rows.values_list(*fields), key=lambda row: row[0]):
        _add(states.setdefault(table, TableState(table)), list(batches))
    return list(states.values())


def _add(state: TableState, batches: Sequence[tuple[Any, ...]]) -> None:
    reasons: Counter[str] = Counter()
    for _table, _number, rows, dropped, why, body_bytes, segment_bytes in batches:
        state.rows += rows
        state.dropped += dropped
        state.body_bytes += body_bytes
        state.segment_bytes += segment_bytes
        reasons.update(why)
    state.batches = len(batches)
    state.reasons = dict(sorted(reasons.items()))
    state.numbers = ranges(row[1] for row in batches)


def ranges(numbers: Iterable[int]) -> str:
    """1-5, 7: short, however many there are."""
    words = []
    # Neighbours differ from their place in the row by the same amount.
    for _key, group in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _place, number in group]
        words.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ", ".join(words)


def totals_of(session: Session) -> Totals:
    found = Batch.objects.filter(session=session).aggregate(
        batches=Count("pk"),
        rows=Sum("rows"),
        dropped=Sum("dropped"),
        body_bytes=Sum("body_bytes"),
        segment_bytes=Sum("segment_bytes"),
        first=Min("received_at"),
        last=Max("received_at"),
    )
    began: datetime = session.created_at
    seconds = (found["last"] - began).total_seconds() if found["last"] else 0.0
    names = ("batches", "rows", "dropped", "body_bytes", "segment_bytes")
    amounts = {name: int(found[name] or 0) for name in names}
    return Totals(**amounts, seconds=seconds)


def batches_of(session: Session, table: str) -> QuerySet[Batch]:
    return Batch.objects.filter(session=session, table=table)


def pulse(session_id: uuid.UUID) -> tuple[Any, ...] | None:
    """Changes whenever there is something new to be seen; None: the session has ended."""
    found = (
        Session.objects.filter(pk=session_id)
        .exclude(state="ending")
        .annotate(count=Count("batches"))
        .values_list("state", "count")
        .first()
    )
    if found is None:
        return None
    answers = list(
        Session.objects.filter(pk=session_id)
        .order_by("answers__pk")
        .values_list("answers__pk", "answers__answered_at", "answers__is_complete")
    )
    return (*found, tuple(answers))
