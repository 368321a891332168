"""Opening a body: unpacked on the way, with caps, and with errors that name what is wrong."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from ronda.analysis.errors import BadBody, BrokenFile, TooMuchData
from ronda.analysis.formats import Format, Packing, format_by_bytes, of_file_name, packing_by_bytes
from ronda.analysis.limits import Limits

HEAD_BYTES = 64
SPOOL_BYTES = 8 << 20
# A packed body may always give this much, however small it is.
EXPANSION_FLOOR_BYTES = 16 << 20
COPY_BYTES = 1 << 20


class Opened:
    """A body's plain bytes, read once from the front; counted and capped."""

    def __init__(
        self, stream: BinaryIO, format: Format, limits: Limits, source: _Counted, is_packed: bool
    ) -> None:
        self.format, self._stream, self._limits, self._source = format, stream, limits, source
        self._is_packed = is_packed
        self.plain_bytes = 0

    def read(self, size_bytes: int) -> bytes:
        try:
            data: bytes = self._stream.read(size_bytes)
        except (OSError, EOFError, pa.ArrowException) as error:
            raise _as_ours(error) from None
        self.count(len(data))
        return data

    def count(self, size_bytes: int) -> None:
        """So many more plain bytes came out of the body."""
        self.plain_bytes += size_bytes
        if self.plain_bytes > self._limits.max_plain_bytes:
            raise TooMuchData(f"Unpacked it is larger than {self._limits.max_plain_bytes} bytes.")
        allowed = max(self._source.count * self._limits.max_expansion, EXPANSION_FLOOR_BYTES)
        if self._is_packed and self.plain_bytes > allowed:
            raise TooMuchData(
                f"Each packed byte unpacks to more than {self._limits.max_expansion}.",
                hint="Send it less packed.",
            )

    @contextmanager
    def seekable(self) -> Iterator[BinaryIO]:
        """The whole of it where one can jump about: the file itself, or a temporary one."""
        if not self._is_packed and self._stream.seekable():
            self._source.say_all()
            yield self._stream
            return
        with tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
            while data := self.read(COPY_BYTES):
                spool.write(data)
            spool.seek(0)
            yield spool  # type: ignore[misc]


class _Counted(io.RawIOBase):
    """A stream that tells how much was read of it."""

    def __init__(self, stream: BinaryIO, on_bytes: Callable[[int], None] | None) -> None:
        self._stream, self._on_bytes, self.count = stream, on_bytes, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        if self._on_bytes and data:
            self._on_bytes(len(data))
        return data

    def say_all(self) -> None:
        """From now on somebody jumps about in it: it counts as read."""
        end = self._stream.seek(0, io.SEEK_END)
        self._stream.seek(0)
        if self._on_bytes:
            self._on_bytes(max(end - self.count, 0))
        self.count, self._on_bytes = max(end, self.count), None


@contextmanager
def opened(
    source: Path | BinaryIO,
    *,
    format: Format | None,
    packing: Packing | None,
    limits: Limits,
    on_bytes: Callable[[int], None] | None = None,
) -> Iterator[Opened]:
    with ExitStack() as stack:
        raw: BinaryIO
        if isinstance(source, Path):
            format = format or of_file_name(source.name)
            raw = stack.enter_context(_file(source))
        else:
            raw = source
        counted = _Counted(raw, on_bytes)
        stream, head = _peeked(cast(BinaryIO, counted))
        packing = packing or packing_by_bytes(head)
        if packing is not Packing.PLAIN:
            unpacked = stack.enter_context(_unpacked(stream, packing))
            stream, head = _peeked(unpacked)
        yield Opened(stream, format or format_by_bytes(head), limits, counted, packing is not Packing.PLAIN)


def _file(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadBody(f"{path} cannot be read: {error.strerror}.") from None


def _unpacked(stream: BinaryIO, packing: Packing) -> pa.CompressedInputStream:
    return pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), packing.value)


def _peeked(stream: BinaryIO) -> tuple[BinaryIO, bytes]:
    """The stream, still at its beginning, and its first bytes."""
    try:
        head = stream.read(HEAD_BYTES)
    except (OSError, EOFError, pa.ArrowException) as error:
        raise _as_ours(error) from None
    if stream.seekable():
        stream.seek(0)
        return stream, head
    return cast(BinaryIO, _Rejoined(head, stream)), head


class _Rejoined(io.RawIOBase):
    """First bytes that were already read, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def read(self, size: int = -1) -> bytes:
        if not self._head:
            return self._rest.read(size)
        if size < 0:
            data, self._head = self._head, b""
            return data + self._rest.read()
        data, self._head = self._head[:size], self._head[size:]
        # As much as was asked for: who reads takes less for the end.
        return data + self._rest.read(size - len(data)) if size > len(data) else data


def _as_ours(error: Exception) -> BadBody:
    return BrokenFile(f"It cannot be unpacked: {str(error).rstrip('.')}.", hint="Was it cut off on the way?")
