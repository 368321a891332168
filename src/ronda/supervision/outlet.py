"""Where the supervisor's log goes. A reader that stalls costs log lines, never the supervisor."""

from __future__ import annotations

import os
import select
from contextlib import suppress

# As much as a pipe that says it is writable takes without blocking (PIPE_BUF).
PIECE_BYTES = 4096


class Outlet:
    """A text stream over a file descriptor that drops what cannot be written now, and says so afterwards."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._dropped = 0

    def write(self, text: str) -> int:
        if self._dropped and self._is_writable():
            notice, self._dropped = f"({self._dropped} log lines were dropped: nobody read them)\n", 0
            self._send(notice.encode())
        if not self._send(text.encode("utf-8", "backslashreplace")):
            self._dropped += 1
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def _is_writable(self) -> bool:
        return bool(select.select([], [self._fd], [], 0)[1])

    def _send(self, data: bytes) -> bool:
        for start in range(0, len(data), PIECE_BYTES):
            if not self._is_writable():
                return False
            with suppress(OSError):  # closed: there is nobody to tell
                os.write(self._fd, data[start : start + PIECE_BYTES])
        return True
