"""Reads files of the archive: a gzip member per record, each with its place, believing nothing but the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ronda.archive.gzip_members import GZIP, UNPACK_ERRORS, BrokenMember, Members, new_unpacker
from ronda.archive.record_parser import BrokenRecord, Record, RecordParser

READ_BYTES = 1024 * 1024
MEMBER_START = b"\x1f\x8b\x08"


def records_in(file: BinaryIO, start: int, end: int) -> Iterator[Record]:
    """Whole records that begin at `start` and lie before `end`; raises BrokenRecord at the first that is not whole."""
    members = Members(file, start, end)
    while members.position < end:
        yield _next_record(members)


def _next_record(members: Members) -> Record:
    at, parser = members.position, RecordParser()
    try:
        for piece in members.pieces():
            if parser.feed(piece):
                raise BrokenRecord("it is longer than it says")
        return parser.finish(at, members.position - at)
    except (BrokenRecord, BrokenMember) as error:
        raise BrokenRecord(error.reason, at) from None


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
        return bool(new_unpacker(GZIP).decompress(start, 5) == b"WARC/")
    except UNPACK_ERRORS:
        return False
