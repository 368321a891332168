"""Whether the body of a response is as long as its head says, and unfolds to no more than anybody has to hold.

Only what is encoded is looked into, with the node's own decoders and its own cap: an honest node cuts such a body off
before it brings it.
"""

from __future__ import annotations

from ronda.archive.http_head import Fields
from ronda.grid.errors import BadUpload
from ronda_node.body_framing import Chunked
from ronda_node.content_decoding import MOST_ENCODINGS, DecodedSize, encodings_in

_TRANSFER = "transfer-encoding"
_CODINGS = frozenset({"content-encoding", _TRANSFER})
# They have no body, whatever length they tell.
_WITHOUT_BODY = frozenset({204, 304})


class BodyCheck:
    """`feed` the body as it stands in the record, then `finish`; either raises BadUpload."""

    def __init__(self, status: int, fields: Fields, most_bytes: int) -> None:
        self._bytes = 0
        values = [value.encode("latin-1") for name, value in fields if name in _CODINGS]
        self._is_chunked = any("chunked" in value.lower() for name, value in fields if name == _TRANSFER)
        self._length = None if self._is_chunked or status in _WITHOUT_BODY else _length_in(fields)
        self._framing: Chunked | None = None
        self._decoded: DecodedSize | None = None
        if encodings := encodings_in(values):
            if len(encodings) > MOST_ENCODINGS:
                raise BadUpload(f"A body is encoded {len(encodings)} times over.")
            self._decoded = DecodedSize(encodings, most_bytes)
            self._framing = Chunked(self._count) if self._is_chunked else None

    def feed(self, data: bytes) -> None:
        self._bytes += len(data)
        if self._framing is not None:
            if self._framing.feed(data) < len(data):
                raise BadUpload("A body goes on behind its end.")
        elif self._decoded is not None:
            self._count(data)

    def finish(self, *, is_truncated: bool) -> None:
        if self._length is None or self._bytes == self._length:
            return
        if self._bytes > self._length or not is_truncated:
            raise BadUpload("A body is not as long as its Content-Length says.")

    def _count(self, payload: bytes) -> None:
        if self._decoded is not None and not self._decoded.feed(payload):
            raise BadUpload("A body unfolds to more than a node may bring.")


def _length_in(fields: Fields) -> int | None:
    lengths = [value for name, value in fields if name == "content-length"]
    readable = [int(value) for value in lengths if value.isascii() and value.isdigit() and len(value) < 16]
    return readable[-1] if readable else None
