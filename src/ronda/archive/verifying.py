"""`ronda archive verify`: every record of every file is read again, and held against its digests and the index."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import F

from ronda.archive.file_contents import Block, FoundCapture, Problem, contents
from ronda.archive.models import Capture, WarcFile
from ronda.archive.record_parser import BrokenRecord, Record

# Called with how far a file was read.
OnRead = Callable[[int], None]


class _Row(NamedTuple):
    """What the index says of a capture, and of the one whose payload it has."""

    offset: int
    length: int
    response_length: int
    url: str
    digest: str
    status: int
    fetched_at: Any
    refers_to: int | None
    target_digest: str | None
    target_refers_to: int | None


@dataclass
class FileReport:
    """What one file turned out to be."""

    name: str
    records: int = 0
    captures: int = 0
    size_bytes: int = 0
    is_elsewhere: bool = False
    problems: list[Problem] = field(default_factory=list)

    def tell(self, offset: int | None, what: str) -> None:
        self.problems.append(Problem(self.name, offset, what))


def verify_file(folder: Path, row: WarcFile, on_read: OnRead = lambda done: None) -> FileReport:
    """As far as it was acknowledged when this began; what is appended meanwhile is not looked at."""
    report = FileReport(row.name, size_bytes=row.size_bytes)
    path = folder / row.name
    if not path.exists():
        report.is_elsewhere = row.machine != socket.gethostname()
        if not report.is_elsewhere:
            report.tell(None, "it is missing")
        return report
    size = path.stat().st_size
    if size < row.size_bytes:
        report.tell(None, f"it has {size} bytes, and {row.size_bytes} were acknowledged")
    if row.closed_at and size > row.size_bytes:
        report.tell(None, f"it has {size - row.size_bytes} bytes that were never acknowledged")
    try:
        _compare(path, min(size, row.size_bytes), row, report, on_read)
    except OSError as error:
        report.tell(None, f"it cannot be read: {error.strerror}")
    return report


def _compare(path: Path, end: int, row: WarcFile, report: FileReport, on_read: OnRead) -> None:
    index = _Index(row, report)
    with path.open("rb") as file:
        for piece in contents(file, 0, end):
            if isinstance(piece, BrokenRecord):
                report.tell(piece.offset, f"a record is broken: {piece.reason}")
            elif isinstance(piece, Record):
                report.records += 1
                on_read(piece.offset)
                _check_digests(piece, report)
            elif isinstance(piece, Block):
                _compare_block(piece, index, report)
    index.finish(end)


def _check_digests(record: Record, report: FileReport) -> None:
    if not record.is_block_true:
        report.tell(record.offset, f"the block digest of {record.url} is not that of its bytes")
    elif not record.is_payload_true:
        report.tell(record.offset, f"the payload digest of {record.url} is not that of its bytes")


def _compare_block(block: Block, index: _Index, report: FileReport) -> None:
    if block.note is None:
        for found in block.captures:
            report.tell(found.record.offset, f"{found.record.url} has no note behind it")
            index.row_at(found.record.offset)
        return
    is_import = block.note.node is None
    for found, note in block.indexed():
        report.captures += 1
        indexed = index.row_at(found.record.offset)
        if indexed is None:
            report.tell(found.record.offset, f"{found.record.url} is not in the index")
            continue
        wrong = list(_differences(found, indexed, is_import))
        if indexed.fetched_at != found.fetched_at(note):
            wrong.append("time")
        if wrong:
            report.tell(found.record.offset, f"{found.record.url}: the index has another {', '.join(wrong)}")


def _differences(found: FoundCapture, row: _Row, is_import: bool) -> Iterator[str]:
    record = found.record
    if row.url != record.url:
        yield "URL"
    if (row.length, row.response_length) != (found.length, record.length):
        yield "length"
    # A revisit that a server told of (304) has no head of its own.
    if row.status != record.status and (record.http_head or not found.is_revisit):
        yield "status"
    if not found.is_revisit:
        if row.digest != found.digest:
            yield "digest"
        if row.refers_to is not None:
            yield "kind"
        return
    if row.refers_to is None:
        # What an imported revisit refers to may never have been imported; ours always are of what we hold.
        if not is_import:
            yield "target: none"
    elif row.target_refers_to is not None:
        yield "target: it is a revisit itself"
    elif row.target_digest != row.digest:
        yield "target: it has another digest"


class _Index:
    """The rows of a file in the order of their offsets, beside the records as they are read."""

    def __init__(self, row: WarcFile, report: FileReport) -> None:
        found = Capture.objects.filter(file=row).order_by("offset")
        self._rows = map(
            _Row._make,
            found.values_list(
                "offset", "length", "response_length", "url", "digest", "status", "fetched_at", "refers_to",
                F("refers_to__digest"), F("refers_to__refers_to"),
            ).iterator(2000),
        )  # fmt: skip
        self._next = next(self._rows, None)
        self._report = report

    def row_at(self, offset: int) -> _Row | None:
        while self._next is not None and self._next.offset < offset:
            self._tell_missing(self._next)
            self._next = next(self._rows, None)
        if self._next is None or self._next.offset != offset:
            return None
        found, self._next = self._next, next(self._rows, None)
        return found

    def finish(self, end: int) -> None:
        while self._next is not None:
            # Behind the end: acknowledged after we began.
            if self._next.offset < end:
                self._tell_missing(self._next)
            self._next = next(self._rows, None)

    def _tell_missing(self, row: _Row) -> None:
        self._report.tell(row.offset, f"{row.url} is in the index, and no record of it is here")
