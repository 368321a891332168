"""Keeps the lake in order: small files are merged, old states and files nobody needs go. Harmless to repeat."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import duckdb

from ronda.database.named_sql import named_sql
from ronda.lake.opening import NAME, Purpose, cursor

logger = logging.getLogger(__name__)

# A reader holds its state for as long as its question takes; nobody asks longer than this.
KEPT_HOURS = 2
# Files that no state names any more, and those of writers that were killed before they committed.
ORPHAN_HOURS = 24
# A file of which this share was deleted or updated is written anew.
REWRITTEN_SHARE = 0.3


@dataclass(frozen=True)
class Untidiness:
    """What would make keeping worth it: files smaller than they should be, and states to forget."""

    small_files: int
    snapshots: int


def untidiness() -> Untidiness:
    taken = cursor(Purpose.WRITING)
    try:
        row = taken.execute(named_sql("ronda.lake", "untidiness"), {"name": NAME}).fetchone()
    finally:
        taken.close()
    return Untidiness(*row) if row else Untidiness(0, 0)


def tidy() -> None:
    """Each step is a transaction of its own; one that meets a writer leaves its part to the next time."""
    steps = {
        "flush": f"CALL ducklake_flush_inlined_data('{NAME}')",
        "rewrite": f"CALL ducklake_rewrite_data_files('{NAME}', delete_threshold => {REWRITTEN_SHARE})",
        "merge": f"CALL ducklake_merge_adjacent_files('{NAME}')",
        "expire": f"CALL ducklake_expire_snapshots('{NAME}', older_than => now() - INTERVAL {KEPT_HOURS} HOUR)",
        "clean up": f"CALL ducklake_cleanup_old_files('{NAME}', older_than => now() - INTERVAL {KEPT_HOURS} HOUR)",
        "orphans": (
            f"CALL ducklake_delete_orphaned_files('{NAME}', older_than => now() - INTERVAL {ORPHAN_HOURS} HOUR)"
        ),
    }
    taken = cursor(Purpose.WRITING)
    try:
        for step, call in steps.items():
            try:
                # What it did is told in times with a zone, which nobody here reads.
                taken.execute(call)
            except duckdb.TransactionException as error:
                logger.info("the lake is written to; %s waits: %s", step, error)
    finally:
        taken.close()
