"""How large a body becomes once decoded: only counted, piece by piece, so that a bomb is noticed and dropped."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator, Sequence

import brotli  # type: ignore[import-untyped]

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE_BYTES = 256 * 1024
MOST_ENCODINGS = 2
MOST_MEMBERS = 1000
# RFC 9659: a zstd content coding needs no more than 8 MiB of window, and gets no more.
_ZSTD_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 23}
# What deflate can do at best (a run of zeroes): below this nothing needs to be decoded at all.
_DEFLATE_RATIO = 1032


class TooManyMembers(Exception):
    """Thousands of streams in a row: made to keep a machine busy, not to be read."""


class Inflate:
    """gzip (any number of members), zlib, and the raw deflate that some servers mean by "deflate"."""

    def __init__(self) -> None:
        self._start = b""
        self._stream: zlib._Decompress | None = None
        self._members = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self._stream is None:
                data, self._start = self._start + data, b""
                if len(data) < 2:
                    self._start = data
                    return
                self._stream = _inflating(data)
                self._members = _one_more(self._members)
            out = self._stream.decompress(data, PIECE_BYTES)
            yield out
            if self._stream.eof:
                data, self._stream = self._stream.unused_data.lstrip(b"\0"), None
                continue
            data = self._stream.unconsumed_tail
            if not data and len(out) < PIECE_BYTES:
                return


class Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._stream.is_finished():
            return
        out = self._stream.process(data, output_buffer_limit=PIECE_BYTES)
        # It says it can accept more while it still has something to give: only an empty piece is the end.
        while out or not self._stream.can_accept_more_data():
            yield out
            out = self._stream.process(b"", output_buffer_limit=PIECE_BYTES)


class Zstandard:
    def __init__(self) -> None:
        self._stream: zstd.ZstdDecompressor | None = None
        self._frames = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self._stream is None:
                if not data:
                    return
                self._stream = zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
                self._frames = _one_more(self._frames)
            yield self._stream.decompress(data, PIECE_BYTES)
            if self._stream.eof:
                data, self._stream = self._stream.unused_data, None
            elif self._stream.needs_input:
                return
            else:
                data = b""


DECODERS: dict[str, type[Inflate] | type[Brotli] | type[Zstandard]] = {
    "gzip": Inflate,
    "x-gzip": Inflate,
    "deflate": Inflate,
    "br": Brotli,
    "zstd": Zstandard,
}
DECODING_ERRORS = (zlib.error, brotli.error, zstd.ZstdError, EOFError)


def encodings_in(values: Sequence[bytes]) -> list[str]:
    """Of Content-Encoding fields, in the order they were applied, without those that change nothing."""
    names = [name.strip().lower() for value in values for name in value.decode("latin-1").split(",")]
    return [name for name in names if name in DECODERS]


class DecodedSize:
    """`feed` the encoded body; it says whether the decoded one is still within `most_bytes`."""

    def __init__(self, encodings: Sequence[str], most_bytes: int) -> None:
        self._decoders = [DECODERS[name]() for name in reversed(encodings)]
        self._most_bytes = most_bytes
        self._decoded_bytes = 0
        self._held: list[bytes] = []
        self._held_bytes = 0
        is_deflate_only = len(self._decoders) == 1 and isinstance(self._decoders[0], Inflate)
        self._hold_bytes = most_bytes // _DEFLATE_RATIO if is_deflate_only else 0

    def feed(self, data: bytes) -> bool:
        self._held_bytes += len(data)
        if self._held_bytes <= self._hold_bytes:
            self._held.append(data)
            return True
        pieces, self._held = [*self._held, data], []
        try:
            return all(self._count(piece, 0) for piece in pieces)
        except TooManyMembers:
            return False
        except DECODING_ERRORS:
            # From here on nobody can decode it, so nobody can be harmed by it.
            self._decoders = []
            return True

    def _count(self, data: bytes, level: int) -> bool:
        if level == len(self._decoders):
            return True
        for piece in self._decoders[level].feed(data):
            self._decoded_bytes += len(piece)
            if self._decoded_bytes > self._most_bytes or not self._count(piece, level + 1):
                return False
        return True


def _one_more(members: int) -> int:
    if members == MOST_MEMBERS:
        raise TooManyMembers
    return members + 1


def _inflating(start: bytes) -> zlib._Decompress:
    if start.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(zlib.MAX_WBITS | 16)
    is_zlib = start[0] & 0x0F == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    return zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
