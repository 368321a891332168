"""What a worker process knows about itself: its name, what it is doing, and whether it was told to stop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class WorkerState:
    name: str
    stopping: threading.Event = field(default_factory=threading.Event)
    current: dict[str, None] = field(default_factory=dict)

    @contextmanager
    def doing(self, job_id: str) -> Iterator[None]:
        self.current[job_id] = None
        try:
            yield
        finally:
            self.current.pop(job_id, None)

    @property
    def sentence(self) -> str:
        return f"job {', '.join(self.current)}" if self.current else ""
