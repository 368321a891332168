"""The folder where a node keeps what must outlive it. One node at a time has it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from ronda_node.errors import DiskFailed, HomeTaken


def usual_home() -> Path:
    """Where programs keep their state, by the XDG Base Directory Specification."""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    return base / "ronda-node"


class NodeHome:
    """Entered: ours. The kernel lets go of it however we end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def blocks(self) -> Path:
        """Blocks in hand."""
        return self.folder / "blocks"

    @property
    def usage(self) -> Path:
        """How many bytes went over the line this month."""
        return self.folder / "usage.json"

    @property
    def stop(self) -> Path:
        """The kill switch: while it exists nothing is fetched."""
        return self.folder / "stop"

    @property
    def log(self) -> Path:
        return self.folder / "fetches.jsonl"

    def __enter__(self) -> NodeHome:
        try:
            self.blocks.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / "lock").open("w")
        except OSError as error:
            raise DiskFailed(f"{self.folder} cannot be the home of a node: {error.strerror}.") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise HomeTaken(
                f"Another node runs in {self.folder}. Give this one a home of its own with --home."
            ) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.close()
