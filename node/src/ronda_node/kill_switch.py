"""The owner's way to stop everything at once: a command, or a file that anybody at the machine can make."""

from __future__ import annotations

from pathlib import Path


class KillSwitch:
    """While `path` exists nothing is fetched."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_pulled(self) -> bool:
        return self.path.exists()

    def pull(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()

    def release(self) -> None:
        self.path.unlink(missing_ok=True)
