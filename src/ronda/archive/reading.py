"""One capture out of its file: the record as it was written, and the payload, wherever that stands."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import IO

from ronda.archive import services
from ronda.archive.http_head import END_OF_HTTP_HEAD, fields_of, first_field
from ronda.archive.models import Capture
from ronda.archive.payload import payload_of

READ_BYTES = 256 * 1024
# Of a record, beside its payload: two heads, and framing that is longer than what it frames.
AROUND_BYTES = 512 * 1024


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
    """The response, revisit or resource record, unpacked; of a long one (imports may be huge), its beginning."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    pieces: list[bytes] = []
    size = 0
    left = capture.response_length
    with _opened(capture.file.name) as file:
        file.seek(capture.offset)
        while not unpacker.eof and size < most_bytes:
            data = unpacker.unconsumed_tail or file.read(min(READ_BYTES, left))
            left -= 0 if unpacker.unconsumed_tail else len(data)
            if not data:
                break
            pieces.append(unpacker.decompress(data, READ_BYTES))
            size += len(pieces[-1])
    return b"".join(pieces)


def payload(capture: Capture, most_bytes: int) -> bytes:
    """What a reader would have seen, decoded, as far as `most_bytes`; of a revisit, from the capture it refers to.

    Nothing, if that is not in the archive (an import may refer to what was never imported).
    """
    return payload_of(record_with(capture.holder, most_bytes), most_bytes)


def record_with(capture: Capture, payload_bytes: int) -> bytes:
    """So much of its record that this much of its payload can be read from it."""
    return response_record(capture, payload_bytes + payload_bytes // 8 + AROUND_BYTES)


def response_field(record: bytes, name: bytes) -> str:
    """A field of the HTTP response in a record; nothing if it has none."""
    _warc, _, block = record.partition(b"\r\n\r\n")
    end = END_OF_HTTP_HEAD.search(block)
    return first_field(fields_of(block[: end.start() if end else None]), name.decode())
