"""Which state of the lake a connection sees: while it is the same, so are all answers."""

from __future__ import annotations

import duckdb

from ronda.lake.opening import NAME, lake_folder


def snapshot_of(lake: duckdb.DuckDBPyConnection) -> tuple[str, int]:
    """The lake and the number of its snapshot."""
    row = lake.execute("SELECT id FROM ducklake_current_snapshot(?)", [NAME]).fetchone()
    return str(lake_folder()), int(row[0]) if row else 0
