"""Whether the lake's files are where its catalogue says. Pure: for `ronda doctor`, which looks from outside."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psycopg

from ronda.database.named_sql import named_sql


@dataclass(frozen=True)
class Health:
    """`missing`: files that are named and not there, or not as long as they should be."""

    files: int
    size_bytes: int
    missing: tuple[str, ...]


def look_at(connection: psycopg.Connection, home: Path) -> Health | None:
    """None: nobody kept anything yet."""
    row = connection.execute("SELECT to_regclass('lake.ducklake_data_file')").fetchone()
    if row is None or row[0] is None:
        return None
    named = connection.execute(named_sql("ronda.lake", "files_named").encode()).fetchall()
    folder = home / "lake"
    return Health(
        files=len(named),
        size_bytes=sum(size for _, size in named),
        missing=tuple(path for path, size in named if not _is_there(folder / path, size)),
    )


def _is_there(file: Path, size_bytes: int) -> bool:
    try:
        return file.stat().st_size == size_bytes
    except OSError:
        return False
