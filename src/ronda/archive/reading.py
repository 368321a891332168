"""One capture out of its file: the record as it was written, and the payload, wherever that stands.

Never more than is asked for: a record of a few hundred kilobytes can hold half a gigabyte, and was perhaps made to.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from errno import EIO
from typing import IO

from ronda.archive import services
from ronda.archive.http_head import END_OF_HTTP_HEAD, fields_of, first_field
from ronda.archive.models import Capture
from ronda.archive.payload import payload_of

READ_BYTES = 256 * 1024
# Of a record, beside its payload: two heads, and framing that is longer than what it frames.
AROUND_BYTES = 512 * 1024
# Of a record of which only fields are wanted: as much as a file of the archive may have of them, twice.
HEADS_BYTES = 256 * 1024


_kept_open: ContextVar[tuple[ExitStack, dict[str, IO[bytes]]] | None] = ContextVar("kept_open", default=None)


@contextmanager
def files_kept_open() -> Iterator[None]:
    """For who reads many captures one after the other: they mostly lie in one file."""
    with ExitStack() as stack:
        token = _kept_open.set((stack, {}))
        try:
            yield
        finally:
            _kept_open.reset(token)


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    # Read in large pieces, or as much as a record has: a buffer would only be in between.
    kept = _kept_open.get()
    if kept is None:
        with (services.archive_folder() / name).open("rb", buffering=0) as file:
            yield file
        return
    stack, files = kept
    if name not in files:
        files[name] = stack.enter_context((services.archive_folder() / name).open("rb", buffering=0))
    yield files[name]


def response_record(capture: Capture, most_bytes: int) -> bytes:
    """The response, revisit or resource record, unpacked; of a long one, its beginning."""
    with _opened(capture.file.name) as file:
        return _beginning(file, capture.offset, capture.response_length, most_bytes)


def record_with_payload(capture: Capture, most_bytes: int) -> bytes:
    """As much of the record that has the payload as `most_bytes` of that can be had from."""
    return response_record(capture.holder, _record_bytes(most_bytes))


def payload(capture: Capture, most_bytes: int) -> bytes:
    """What a reader would have seen, decoded, as far as `most_bytes`; of a revisit, from the capture it refers to.

    Nothing, if that is not in the archive (an import may refer to what was never imported).
    """
    return payload_of(record_with_payload(capture, most_bytes), most_bytes)


def payload_at(file: IO[bytes], *, offset: int, length: int, most_bytes: int) -> bytes:
    """The same of a record that has no capture yet: where it stands in a file."""
    return payload_of(_beginning(file, offset, length, _record_bytes(most_bytes)), most_bytes)


def _record_bytes(payload_bytes: int) -> int:
    return payload_bytes + payload_bytes // 8 + AROUND_BYTES


def _beginning(file: IO[bytes], offset: int, length: int, most_bytes: int) -> bytes:
    """A damaged record is a trouble of the disk to whoever reads it: OSError."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    pieces: list[bytes] = []
    size, left = 0, length
    file.seek(offset)
    while not unpacker.eof and size < most_bytes:
        data = unpacker.unconsumed_tail or file.read(min(READ_BYTES, left))
        left -= 0 if unpacker.unconsumed_tail else len(data)
        if not data:
            break
        try:
            pieces.append(unpacker.decompress(data, min(READ_BYTES, most_bytes - size)))
        except zlib.error as error:
            raise OSError(EIO, f"the record at byte {offset:,} is damaged: {error}") from error
        size += len(pieces[-1])
    return b"".join(pieces)


def response_field(record: bytes, name: bytes) -> str:
    """A field of the HTTP response in a record; nothing if it has none."""
    _warc, _, block = record.partition(b"\r\n\r\n")
    end = END_OF_HTTP_HEAD.search(block)
    return first_field(fields_of(block[: end.start() if end else None]), name.decode())
