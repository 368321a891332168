"""A process that reads bodies and writes segments, one after the other: python -m ronda.analysis.intake_process.

Whatever a body does to its reader, it does to this process and not to the web server: it has a cap on memory, and
whoever ordered may end it. Orders and reports are lines of JSON; it ends when nobody orders any more.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ronda.analysis.formats import of_media_type, packing_of
from ronda.analysis.intake import take_in
from ronda.analysis.limits import Limits
from ronda.analysis.questions.model import Column, TableNeed
from ronda.errors import InvalidInput, TooLarge

MOST_MEMORY_BYTES = 6 * 1024**3


@dataclass(frozen=True)
class Order:
    """One body to read: `need` is what its table needs, as JSON."""

    body: str
    segment: str
    content_type: str
    encoding: str
    most_bytes: int
    need: dict[str, Any]


@dataclass(frozen=True)
class Report:
    """What came of it: rows kept, rows dropped by reason; or what is wrong with the body."""

    rows: int = 0
    dropped: dict[str, int] | None = None
    problem: str = ""
    field: str = ""
    is_too_large: bool = False


def main() -> None:
    # A process of its own pool's: its standard output is for reports alone, whatever a library has to say.
    reports = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    for line in sys.stdin:
        report = carry_out(Order(**json.loads(line)))
        reports.write(json.dumps(asdict(report)) + "\n")
        reports.flush()


def carry_out(order: Order) -> Report:
    try:
        taken = take_in(
            Path(order.body),
            _need_of(order.need),
            Path(order.segment),
            format=of_media_type(order.content_type),
            packing=packing_of(order.encoding),
            limits=Limits(max_plain_bytes=order.most_bytes),
        )
    except TooLarge as error:
        return Report(problem=str(error), is_too_large=True)
    except InvalidInput as error:
        return Report(problem=str(error), field=error.field or "body")
    except (MemoryError, pa.ArrowMemoryError):
        return Report(problem="It takes more memory than a batch may. Send smaller ones.", is_too_large=True)
    return Report(rows=taken.rows_kept, dropped=dict(taken.dropped))


def _need_of(said: dict[str, Any]) -> TableNeed:
    return TableNeed(**{**said, "columns": tuple(Column(**column) for column in said["columns"])})


if __name__ == "__main__":
    main()
