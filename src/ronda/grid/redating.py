"""Records of a machine whose clock is wrong: the server's date in place of the node's, which is kept beside it.

The rest stays to the byte, digests included: those are of the block, not of its header.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import BinaryIO, Self

from ronda.archive.gzip_members import GZIP, Members
from ronda.grid.upload_reader import ReadRecord

MEMORY_BYTES = 1024 * 1024
# Also what a node may have written there itself: no field stands twice.
_DATE_LINES = re.compile(rb"\r\n(?:warc-date|ronda-node-date):[^\r\n]*", re.IGNORECASE)
_LEVEL = 4


@dataclass(frozen=True)
class Redated:
    """A record written anew: where it lies among those."""

    offset: int
    length: int


class Redating:
    """Nobody's clock reaches beyond `earliest` and `latest`. What is written anew waits in `file`: a block may be
    larger than memory."""

    def __init__(self, upload: BinaryIO, earliest: datetime, latest: datetime) -> None:
        self.file = SpooledTemporaryFile[bytes](MEMORY_BYTES)
        self._upload = upload
        self._earliest = earliest
        self._latest = latest
        self._size_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.file.close()

    def moment_of(self, record: ReadRecord) -> datetime:
        return min(max(record.fetched_at, self._earliest), self._latest)

    def redated(self, record: ReadRecord, moment: datetime) -> Redated | None:
        """None: its date may be right."""
        if self._earliest <= record.fetched_at <= self._latest:
            return None
        offset = self._size_bytes
        _write(record, self._upload, moment, self._append)
        return Redated(offset, self._size_bytes - offset)

    def _append(self, data: bytes) -> None:
        self.file.write(data)
        self._size_bytes += len(data)


def warc_date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


def _write(record: ReadRecord, upload: BinaryIO, moment: datetime, write: Callable[[bytes], None]) -> None:
    """Piece by piece, as a gzip member of its own."""
    said = record.fields["warc-date"]
    line = f"\r\nWARC-Date: {warc_date(moment)}\r\nRonda-Node-Date: {said}".encode()
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, GZIP)
    head, has_head = b"", False
    for piece in Members(upload, record.offset, record.offset + record.length).pieces():
        if not has_head:
            head += piece
            fields, end, rest = head.partition(b"\r\n\r\n")
            has_head = bool(end)
            if not has_head:
                continue
            piece = _DATE_LINES.sub(b"", fields) + line + end + rest
        write(compressor.compress(piece))
    write(compressor.flush())
