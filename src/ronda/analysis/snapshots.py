"""What a run looks at: the segments that were in the catalogue when it began, in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ronda.analysis import asked, segments
from ronda.analysis.asked import Asked
from ronda.analysis.models import Batch, Session


@dataclass(frozen=True)
class Snapshot:
    asked: Asked
    tables: dict[str, list[Path]] = field(default_factory=dict)
    # Batches, rows and dropped rows by table: what an answer was made of.
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return sum(table["rows"] for table in self.seen.values())

    def has_all(self, question: str) -> bool:
        """Whether something of every table it needs has come."""
        needs = self.asked.set.question(question).tables
        return all(table.is_optional or table.name in self.tables for table in needs)

    def seen_by(self, question: str) -> dict[str, dict[str, Any]]:
        """What has come of the tables it reads."""
        read = {table.name for table in self.asked.set.question(question).tables}
        return {name: table for name, table in self.seen.items() if name in read}


def snapshot_of(session: Session) -> Snapshot:
    """By table and number: the order in which batches came makes no difference to any answer."""
    found = Snapshot(asked.of_session(session))
    batches = Batch.objects.filter(session=session).order_by("table", "number")
    for batch in batches:
        path = segments.segment_path(session.pk, batch.table, batch.number)
        found.tables.setdefault(batch.table, []).append(path)
        seen = found.seen.setdefault(batch.table, {"batches": 0, "rows": 0, "dropped": 0, "reasons": {}})
        seen["batches"] += 1
        seen["rows"] += batch.rows
        seen["dropped"] += batch.dropped
        for reason, number in sorted(batch.reasons.items()):
            seen["reasons"][reason] = seen["reasons"].get(reason, 0) + number
    return found
