"""Every request the demo web got: the witness by which a crawler's politeness is proved."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TextIO

KEPT_ENTRIES = 100_000


@dataclass(slots=True)
class AccessEntry:
    """One request, listed from its start; the fields of its end follow later.

    `ended_monotonic` is the moment before its last bytes were handed out: no client has had them earlier, however busy
    this machine is.
    """

    site: str
    method: str
    path: str
    user_agent: str
    client: str
    demo_at: datetime
    started_at: datetime
    started_monotonic: float
    ended_monotonic: float | None = None
    status: int | None = None
    size_bytes: int = 0

    def as_json(self) -> dict[str, object]:
        return {
            **asdict(self),
            "demo_at": self.demo_at.isoformat(),
            "started_at": self.started_at.isoformat(),
        }


class AccessLog:
    """The last requests in memory and, if a path is given, all of them as JSON lines. Safe across threads."""

    def __init__(self, path: Path | None = None, kept: int = KEPT_ENTRIES) -> None:
        self._entries: deque[AccessEntry] = deque(maxlen=kept)
        self._under_way = 0
        self._condition = threading.Condition()
        self._file: TextIO | None = path.open("a", encoding="utf-8", buffering=1) if path else None

    def begin(
        self, *, site: str, method: str, path: str, user_agent: str, client: str, demo_at: datetime
    ) -> AccessEntry:
        now, monotonic = datetime.now(UTC), time.monotonic()
        entry = AccessEntry(site, method, path, user_agent, client, demo_at, now, monotonic)
        with self._condition:
            self._entries.append(entry)
            self._under_way += 1
        return entry

    def end(self, entry: AccessEntry) -> None:
        """Call before the last bytes are handed out."""
        entry.ended_monotonic = time.monotonic()

    def finish(self, entry: AccessEntry, *, status: int, size_bytes: int) -> None:
        with self._condition:
            entry.status, entry.size_bytes = status, size_bytes
            entry.ended_monotonic = entry.ended_monotonic or time.monotonic()
            self._under_way -= 1
            if self._file:
                self._file.write(json.dumps(entry.as_json()) + "\n")
            self._condition.notify_all()

    def entries(self, site: str | None = None) -> Sequence[AccessEntry]:
        """The kept requests in the order they began, those under way included."""
        with self._condition:
            return [entry for entry in self._entries if site is None or entry.site == site]

    def wait_until_idle(self, timeout_seconds: float = 5.0) -> bool:
        """Wait until no request is under way. A client has its answer a moment before the log has its end."""
        with self._condition:
            return self._condition.wait_for(lambda: self._under_way == 0, timeout_seconds)

    def clear(self) -> None:
        with self._condition:
            self._entries.clear()

    def close(self) -> None:
        with self._condition:
            if self._file:
                self._file.close()
                self._file = None

    def most_at_once(self, site: str) -> int:
        """How many requests a site had to serve at the same time, at worst."""
        steps = [(entry.started_monotonic, 1) for entry in self.entries(site)]
        steps += [
            (entry.ended_monotonic, -1) for entry in self.entries(site) if entry.ended_monotonic is not None
        ]
        most = present = 0
        for _, step in sorted(steps):
            present += step
            most = max(most, present)
        return most

    def smallest_gap_seconds(self, site: str) -> float | None:
        """The shortest time between the starts of two requests; None with fewer than two."""
        starts = sorted(entry.started_monotonic for entry in self.entries(site))
        return min((later - earlier for earlier, later in pairwise(starts)), default=None)
