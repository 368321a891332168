"""The owner's record of what this machine fetched: one JSON line a step, in files that are turned over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

from ronda_node.fetcher import Fetched
from ronda_node.outcomes import Exchange, Outcome

FILE_BYTES = 10 * 1024 * 1024
OLD_FILES = 5


class FetchLog:
    """`path` is the newest, `path.1` the one before. Lines reach the disk at `flush`, or when enough are there."""

    def __init__(self, path: Path, *, file_bytes: int = FILE_BYTES, old_files: int = OLD_FILES) -> None:
        self._path = path
        self._file_bytes = file_bytes
        self._old_files = old_files
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._open()

    def write(self, fetched: Fetched) -> None:
        for step in fetched.steps:
            line = json.dumps(_entry(fetched, step), ensure_ascii=False, separators=(",", ":"))
            data = f"{line}\n".encode("utf-8", "backslashreplace")
            if self._size_bytes and self._size_bytes + len(data) > self._file_bytes:
                self._turn_over()
            self._file.write(data)
            self._size_bytes += len(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def _open(self) -> IO[bytes]:
        file = self._path.open("ab")
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


def _entry(fetched: Fetched, step: Outcome) -> dict[str, str | int | float | None]:
    entry: dict[str, str | int | float | None] = {
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
