"""Reads files of the archive: a gzip member per record, each with its place, believing nothing but the bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from ronda.archive.record_parser import BrokenRecord, Record, RecordParser

READ_BYTES = 1024 * 1024
PIECE_BYTES = 1024 * 1024
MEMBER_START = b"\x1f\x8b\x08"


def records_in(file: BinaryIO, start: int, end: int) -> Iterator[Record]:
    """Whole records that begin at `start` and lie before `end`; raises BrokenRecord at the first that is not whole."""
    members = _Members(file, start, end)
    while members.position < end:
        yield members.next_record()


def next_member(file: BinaryIO, after: int, end: int) -> int | None:
    """Where, behind a broken record, the next one begins."""
    position = after + 1
    while position < end:
        file.seek(position)
        data = file.read(min(READ_BYTES, end - position))
        found = data.find(MEMBER_START)
        if found < 0:
            # The start may lie across two pieces.
            position += max(1, len(data) - len(MEMBER_START) + 1)
            continue
        position += found
        if _is_record(data[found : found + 4096]):
            return position
        position += 1
    return None


def whole_until(file: BinaryIO, start: int, end: int) -> int:
    """How far, from the beginning of a record on, the file consists of whole records."""
    good = start
    try:
        for record in records_in(file, start, end):
            good = record.offset + record.length
    except BrokenRecord:
        pass  # that is what was asked
    return good


def _is_record(start: bytes) -> bool:
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(start, 5) == b"WARC/"
    except zlib.error:
        return False


class _Members:
    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        file.seek(start)
        self._file = file
        self._end = end
        self._read_until = start
        self._pending = b""
        self.position = start

    def next_record(self) -> Record:
        start = self.position
        try:
            return self._read(start)
        except BrokenRecord as error:
            raise BrokenRecord(error.reason, start) from None

    def _read(self, start: int) -> Record:
        parser = RecordParser()
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        while not unpacker.eof:
            if not self._pending:
                self._pending = self._file.read(min(READ_BYTES, self._end - self._read_until))
                self._read_until += len(self._pending)
                if not self._pending:
                    raise BrokenRecord("the file ends within it")
            before = len(self._pending)
            try:
                data = unpacker.decompress(self._pending, PIECE_BYTES)
            except zlib.error as error:
                raise BrokenRecord(f"it is no gzip member ({error})") from None
            self._pending = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            self.position += before - len(self._pending)
            if parser.feed(data):
                raise BrokenRecord("it is longer than it says")
        return parser.finish(start, self.position - start)
