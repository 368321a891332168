"""Where a body ends on the wire (RFC 9112 §6), to the byte: what follows is not ours to keep."""

from __future__ import annotations

import re
from collections.abc import Callable

MOST_CHUNKS = 250_000
LONGEST_LINE = 8 * 1024
LONGEST_TRAILERS = 64 * 1024
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)

Sink = Callable[[bytes], None]


class FixedLength:
    """Content-Length, or no body at all."""

    is_broken = False

    def __init__(self, length: int, on_payload: Sink | None) -> None:
        self._remaining = length
        self._on_payload = on_payload

    @property
    def is_complete(self) -> bool:
        return self._remaining == 0

    def feed(self, data: bytes) -> int:
        """How many of these bytes belong to the body."""
        taken = min(len(data), self._remaining)
        self._remaining -= taken
        if self._on_payload:
            self._on_payload(data if taken == len(data) else data[:taken])
        return taken


class UntilClose:
    """No length given: the end of the connection is the end of the body."""

    is_broken = False
    is_complete = False

    def __init__(self, on_payload: Sink | None) -> None:
        self._on_payload = on_payload

    def feed(self, data: bytes) -> int:
        if self._on_payload:
            self._on_payload(data)
        return len(data)


class Chunked:
    """Chunk sizes, extensions and trailers are read over, and kept as they came."""

    def __init__(self, on_payload: Sink) -> None:
        self.is_complete = False
        self.is_broken = False
        self._on_payload = on_payload
        self._remaining = 0
        self._chunks = 0
        self._line = b""
        self._read_line = self._read_size
        self._trailer_bytes = 0

    def feed(self, data: bytes) -> int:
        position, end = 0, len(data)
        while position < end and not self.is_complete and not self.is_broken:
            if self._remaining:
                taken = min(self._remaining, end - position)
                self._on_payload(data[position : position + taken])
                self._remaining -= taken
                position += taken
            else:
                position = self._feed_line(data, position)
        return position

    def _feed_line(self, data: bytes, position: int) -> int:
        room = LONGEST_LINE - len(self._line)
        newline = data.find(b"\n", position, position + room)
        if newline < 0:
            stop = min(len(data), position + room)
            self._line += data[position:stop]
            self.is_broken = len(self._line) == LONGEST_LINE
            return stop
        line, self._line = self._line + data[position:newline], b""
        self._read_line(line.removesuffix(b"\r"))
        return newline + 1

    def _read_size(self, line: bytes) -> None:
        match = _CHUNK_SIZE.fullmatch(line)
        self._chunks += 1
        if not match or self._chunks > MOST_CHUNKS:
            self.is_broken = True
            return
        self._remaining = int(match[1], 16)
        self._read_line = self._read_end_of_chunk if self._remaining else self._read_trailer

    def _read_end_of_chunk(self, line: bytes) -> None:
        self.is_broken = bool(line)
        self._read_line = self._read_size

    def _read_trailer(self, line: bytes) -> None:
        self._trailer_bytes += len(line)
        self.is_complete = not line
        self.is_broken = self._trailer_bytes > LONGEST_TRAILERS


Framing = FixedLength | UntilClose | Chunked
