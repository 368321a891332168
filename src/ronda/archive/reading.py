"""One capture out of its file: the record as it was written, and the payload, wherever that stands."""

from __future__ import annotations

import zlib

from ronda.archive import services
from ronda.archive.http_head import END_OF_HTTP_HEAD
from ronda.archive.models import Capture
from ronda.archive.payload import payload_of

READ_BYTES = 256 * 1024
# Of a record, beside its payload: two heads, and framing that is longer than what it frames.
AROUND_BYTES = 512 * 1024


def response_record(capture: Capture, most_bytes: int | None = None) -> bytes:
    """The response, revisit or resource record, unpacked; of a long one, its beginning."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    pieces: list[bytes] = []
    size = 0
    left = capture.response_length
    with (services.archive_folder() / capture.file.name).open("rb") as file:
        file.seek(capture.offset)
        while not unpacker.eof and (most_bytes is None or size < most_bytes):
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
    holder = capture.refers_to or capture
    record = response_record(holder, most_bytes + most_bytes // 8 + AROUND_BYTES)
    return payload_of(record, most_bytes)


def response_field(record: bytes, name: bytes) -> str:
    """A field of the HTTP response in a record; nothing if it has none."""
    _warc, _, block = record.partition(b"\r\n\r\n")
    end = END_OF_HTTP_HEAD.search(block)
    for line in block[: end.start() if end else None].split(b"\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().decode("latin-1")
    return ""
