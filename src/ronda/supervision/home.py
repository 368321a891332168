"""The home folder: one `ronda up` at a time, and files only its owner may read."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from ronda.supervision.errors import HomeInUse

# What `ronda up` leaves in the home for programs of the same person: the command line and the local nodes.
TOKEN_FILE = "token"  # noqa: S105  (a file's name)
NODE_TOKEN_FILE = "node-token"  # noqa: S105  (a file's name)


class HomeLock:
    """Held while `ronda up` runs. The kernel lets go of it however the holder ends, so it cannot be stale."""

    def __init__(self, home: Path) -> None:
        try:
            home.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise HomeInUse(
                f"RONDA_HOME={home} cannot be written: {error.strerror}.", hint="Choose another folder."
            ) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._fd, 20).decode(errors="replace").strip()
            os.close(self._fd)
            raise HomeInUse(
                f"Another `ronda up` (process {holder or 'unknown'}) uses {home}.",
                hint="Stop it, or give this one a RONDA_HOME of its own.",
            ) from None
        os.ftruncate(self._fd, 0)
        os.write(self._fd, str(os.getpid()).encode())

    def release(self) -> None:
        os.close(self._fd)


def write_private(path: Path, text: str) -> None:
    """Replace a file that only its owner may read, at no moment half written or readable by others."""
    fresh = path.with_name(path.name + ".new")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(text)
    fresh.replace(path)
