"""The owner's record of what this machine fetched: one JSON line a step, in files that are turned over.

Every line reaches the file before the journal of its block says that it was fetched, so no kill loses one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from ronda_node.clock import utc_now
from ronda_node.fetcher import Fetched
from ronda_node.outcomes import Exchange, Outcome

MOST_BYTES = 500 * 1024 * 1024
OLD_FILES = 9
BROKEN_OFF = "broken off"

Entry = dict[str, str | int | float | None]


class FetchLog:
    """`path` is the newest, `path.1` the one before. All of them take `most_bytes`; the oldest lines go first."""

    def __init__(self, path: Path, *, most_bytes: int = MOST_BYTES, old_files: int = OLD_FILES) -> None:
        self._path = path
        self._file_bytes = most_bytes // (old_files + 1)
        self._old_files = old_files
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._open()

    def write(self, fetched: Fetched) -> None:
        for step in fetched.steps:
            self._add(_entry(fetched, step))

    def write_broken_off(self, begun: Mapping[str, str]) -> None:
        """What an earlier process was fetching when it was killed: by request, the URL."""
        at = utc_now().isoformat(timespec="milliseconds")
        for request_id, url in begun.items():
            self._add({"at": at, "request": request_id, "url": url, "reason": BROKEN_OFF})

    def _add(self, entry: Entry) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
        data = f"{line}\n".encode("utf-8", "backslashreplace")
        if self._size_bytes and self._size_bytes + len(data) > self._file_bytes:
            self._turn_over()
        self._file.write(data)
        self._size_bytes += len(data)

    def close(self) -> None:
        self._file.close()

    def _open(self) -> FileIO:
        file = self._path.open("ab", buffering=0)
        self._size_bytes = file.tell()
        return file

    def _turn_over(self) -> None:
        self._file.close()
        for number in range(self._old_files, 0, -1):
            older = self._aged(number - 1)
            if older.exists():
                older.replace(self._aged(number))
        self._file = self._open()

    def _aged(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path


def _entry(fetched: Fetched, step: Outcome) -> Entry:
    entry: Entry = {
        "at": step.started_at.isoformat(timespec="milliseconds"),
        "request": fetched.request.id,
        "url": str(step.url),
        "ip": step.peer_address,
        "seconds": round(step.total_seconds, 4),
    }
    if isinstance(step, Exchange):
        entry |= {"status": step.status, "bytes": step.wire_bytes}
        if step.truncated:
            entry["truncated"] = step.truncated
    else:
        entry |= {"reason": step.reason, "detail": step.detail}
    return entry
