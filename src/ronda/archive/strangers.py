"""Files in the archive's folder that the index does not know."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ronda.archive.models import WarcFile

LOCK = ".beginning"


@contextmanager
def beginning(folder: Path) -> Iterator[None]:
    """Name and row of a file come to be together: who looks for strangers waits, and finds none half made."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def strangers(folder: Path) -> list[Path]:
    """As of a moment when nobody begins a file."""
    with beginning(folder):
        there = {path.name for path in folder.glob("*.warc.gz")}
        known = set(WarcFile.objects.filter(name__in=there).values_list("name", flat=True))
    return [folder / name for name in sorted(there - known)]
