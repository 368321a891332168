"""The gzip members of a file, one after the other, unpacked piece by piece in bounded memory.

Whatever stands behind a member is copied by the unpacker each time, so it is given little at first: members are small.
ISA-L unpacks in half the time of zlib, where there is a package of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, cast

READ_BYTES = 256 * 1024
FIRST_BYTES = 16 * 1024
# Of one call: a bomb is noticed while it unfolds.
PIECE_BYTES = 1024 * 1024
GZIP = 16 + zlib.MAX_WBITS
# Bits of the fourth byte that must be zero (RFC 1952 §2.3.1.2): ISA-L does not mind, and others could not read it then.
FLAGS_AT, RESERVED_FLAGS = 3, 0xE0

# As that of zlib; both refuse what is no gzip member, and one whose checksum is wrong.
new_unpacker: Callable[[int], Any] = zlib.decompressobj
UNPACK_ERRORS: tuple[type[Exception], ...] = (zlib.error,)
with suppress(ImportError):
    from isal.igzip_lib import IsalError
    from isal.isal_zlib import decompressobj

    new_unpacker, UNPACK_ERRORS = decompressobj, (cast("type[Exception]", IsalError),)


class BrokenMember(Exception):
    """What stands here is no whole gzip member."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Members:
    """`position` is where the next member begins; within one, how far it was read."""

    def __init__(self, file: BinaryIO, start: int = 0, end: int | None = None) -> None:
        file.seek(start)
        self._file = file
        self._left = None if end is None else end - start
        self.position = start
        self._read = memoryview(b"")
        self._used = 0

    def has_more(self) -> bool:
        if self._used == len(self._read):
            wanted = READ_BYTES if self._left is None else min(READ_BYTES, self._left)
            self._read, self._used = memoryview(self._file.read(wanted)), 0
            if self._left is not None:
                self._left -= len(self._read)
        return len(self._read) > 0

    def pieces(self) -> Iterator[bytes]:
        """Of the next member, to its end."""
        unpacker = new_unpacker(GZIP)
        start, window = b"", FIRST_BYTES
        while not unpacker.eof:
            if not self.has_more():
                raise BrokenMember("the file ends within it")
            given = self._read[self._used : self._used + window]
            if len(start) <= FLAGS_AT:
                start += given[: FLAGS_AT + 1]
                if len(start) > FLAGS_AT and start[FLAGS_AT] & RESERVED_FLAGS:
                    raise BrokenMember("it is no gzip member (unknown flags)")
            try:
                data = unpacker.decompress(given, PIECE_BYTES)
            except UNPACK_ERRORS as error:
                raise BrokenMember(f"it is no gzip member ({error})") from None
            left = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            self._used += len(given) - len(left)
            self.position += len(given) - len(left)
            window = min(READ_BYTES, 4 * window)
            yield data
