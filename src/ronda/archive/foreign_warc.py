"""WARC files of others, as wget, Heritrix, Browsertrix or warcio write them: plain, a gzip member a record, or one for
all. Read in one pass and in bounded memory, put together to what belongs to one capture."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from os import SEEK_END
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from ronda.archive.file_contents import CAPTURE_KINDS
from ronda.archive.record_parser import BrokenRecord, Record, RecordParser
from ronda.archive.warc_fields import tolerant_fields

READ_BYTES = 1024 * 1024
MEMORY_BYTES = 4 * 1024**2
MOST_RECORD_BYTES = 4 * 1024**3
GZIP_START = b"\x1f\x8b"
# So many records that are no captures are kept with one, and so many bytes of them; a file of nothing else is none for
# this archive.
MOST_AROUND = 200
MOST_AROUND_BYTES = 256 * 1024**2
# Such a record waits in memory if it is no longer than this.
SHORT_BYTES = 64 * 1024


@dataclass
class ForeignRecord:
    """A record and its block. `at` is how far the file was read when it began."""

    record: Record
    block: SpooledTemporaryFile[bytes]
    at: int

    def pieces(self) -> Iterator[bytes]:
        self.block.seek(0)
        while piece := self.block.read(READ_BYTES):
            yield piece


@dataclass
class Group:
    """One capture with its request, and what stands around it: warcinfo, metadata and the like."""

    before: list[ForeignRecord] = field(default_factory=list)
    main: ForeignRecord | None = None
    request: ForeignRecord | None = None
    behind: list[ForeignRecord] = field(default_factory=list)
    left_out: int = 0
    around_bytes: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.before or self.main or self.request or self.behind or self.left_out)

    def put(self, one: ForeignRecord) -> None:
        if is_capture(one.record):
            self.main = one
        elif one.record.kind == "request":
            self.request = one
        else:
            self.put_around(one)

    def put_around(self, one: ForeignRecord) -> None:
        place = self.behind if self.main else self.before
        size = one.block.seek(0, SEEK_END)
        if len(place) < MOST_AROUND and self.around_bytes + size <= MOST_AROUND_BYTES:
            if size > SHORT_BYTES:
                one.block.rollover()
            self.around_bytes += size
            place.append(one)
        else:
            one.block.close()
            self.left_out += 1

    def close(self) -> None:
        for one in (*self.before, self.main, self.request, *self.behind):
            if one:
                one.block.close()


def groups(file: BinaryIO) -> Iterator[Group]:
    """In order, as far as the file can be read; the last may have no capture.

    A request stands beside its response, before it (wget) or behind.
    """
    group = Group()
    broken: BrokenRecord | None = None
    records = foreign_records(file)
    while True:
        try:
            one = next(records, None)
        except BrokenRecord as error:
            broken, one = error, None
        if one is None:
            break
        if _begins_another(group, one.record):
            left, group = group, Group()
            if left.main is None:  # a question nobody answered
                group.before, group.left_out = left.before, left.left_out
                group.around_bytes = left.around_bytes
                if left.request:
                    group.put_around(left.request)
            else:
                yield left
        group.put(one)
    yield group
    if broken:
        raise broken


def is_capture(record: Record) -> bool:
    is_web = record.url.lower().startswith(("http://", "https://"))
    return record.kind in CAPTURE_KINDS and is_web


def _begins_another(group: Group, record: Record) -> bool:
    partner = group.main or group.request
    if partner is None or not (is_capture(record) or record.kind == "request"):
        return False
    has_its_like = group.main if is_capture(record) else group.request
    return bool(has_its_like) or record.url != partner.record.url


def foreign_records(file: BinaryIO) -> Iterator[ForeignRecord]:
    """Raises BrokenRecord, with how far the file was read, where it cannot be read on."""
    source = _Unpacked(file)
    data = b""
    while True:
        at = source.position
        try:
            found = _next_record(source, data, at)
        except BrokenRecord as error:
            raise BrokenRecord(error.reason, at) from None
        if found is None:
            return
        one, data = found
        yield one


def _next_record(source: _Unpacked, data: bytes, at: int) -> tuple[ForeignRecord, bytes] | None:
    # Some writers end a record with a line too many.
    while not (data := data.lstrip(b"\r\n")):
        if not (data := source.read()):
            return None
    if data[:5] != b"WARC/"[: len(data)]:
        raise BrokenRecord("no WARC record begins there")
    with ExitStack() as unless_kept:
        block = unless_kept.enter_context(SpooledTemporaryFile(MEMORY_BYTES))
        parser = RecordParser(block.write, MOST_RECORD_BYTES, tolerant_fields, keeps_notes=False)
        while not parser.is_complete:
            if not (data := data or source.read()):
                raise BrokenRecord("the file ends within it")
            data = parser.feed(data)
        found = ForeignRecord(parser.finish(at, source.position - at), block, at)
        unless_kept.pop_all()
        return found, data


class _Unpacked:
    """The bytes of a file, unpacked if they are packed, a piece at a time."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._pending = file.read(READ_BYTES)
        self._unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS) if self._is_packed() else None
        self._is_within_member = False
        self.position = 0

    def _is_packed(self) -> bool:
        return self._pending.startswith(GZIP_START)

    def read(self) -> bytes:
        """Nothing: the file is over."""
        if self._unpacker is None:
            data, self._pending = self._pending, self._file.read(READ_BYTES)
            self.position += len(data)
            return data
        while True:
            if not self._pending:
                self._pending = self._file.read(READ_BYTES)
                if not self._pending:
                    if self._is_within_member:
                        raise BrokenRecord("the file ends within it")
                    return b""
            if self._unpacker.eof:
                self._unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
            if data := self._unpack(self._unpacker):
                return data

    def _unpack(self, unpacker: zlib._Decompress) -> bytes:
        before = len(self._pending)
        try:
            data = unpacker.decompress(self._pending, READ_BYTES)
        except zlib.error as error:
            raise BrokenRecord(f"what follows is no gzip member ({error})") from None
        self._pending = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        self._is_within_member = not unpacker.eof
        self.position += before - len(self._pending)
        return data
