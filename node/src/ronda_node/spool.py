"""Bytes on their way from the wire to a record: in memory while few, in a temporary file beyond."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO

PIECE_BYTES = 256 * 1024


class Spool:
    """Written once, read any number of times, closed by whoever wrote its record."""

    __slots__ = ("_file", "_memory_bytes", "_pieces", "size")

    def __init__(self, memory_bytes: int) -> None:
        self.size = 0
        self._memory_bytes = memory_bytes
        self._pieces: list[bytes] = []
        self._file: IO[bytes] | None = None

    def append(self, data: bytes) -> None:
        self.size += len(data)
        if self._file is None:
            self._pieces.append(data)
            if self.size <= self._memory_bytes:
                return
            self._file = tempfile.TemporaryFile(prefix="ronda-body-")  # noqa: SIM115
            data, self._pieces = b"".join(self._pieces), []
        self._file.write(data)

    def pieces(self) -> Iterator[bytes]:
        if self._file is None:
            yield from self._pieces
            return
        self._file.seek(0)
        while piece := self._file.read(PIECE_BYTES):
            yield piece

    def read(self) -> bytes:
        if self._file is None and len(self._pieces) == 1:
            return self._pieces[0]
        return b"".join(self.pieces())

    @property
    def is_in_memory(self) -> bool:
        return self._file is None

    def close(self) -> None:
        """Free the memory or the file; what was read stays read."""
        self._pieces = []
        if self._file is not None:
            self._file.close()
