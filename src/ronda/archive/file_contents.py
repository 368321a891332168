"""What the records of a file say together: captures and whose they are, withdrawals, moves. It makes the index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO

from pydantic import BaseModel, ValidationError

from ronda.archive import block_notes, moves, withdrawals
from ronda.archive.block_notes import BlockNote, CaptureNote
from ronda.archive.file_reader import next_member, records_in
from ronda.archive.moves import Move
from ronda.archive.record_parser import BrokenRecord, Record
from ronda.archive.withdrawals import Withdrawal

CAPTURE_KINDS = frozenset({"response", "revisit", "resource"})


@dataclass
class FoundCapture:
    """A response, revisit or resource record, and how far it and its request record reach."""

    record: Record
    length: int

    @property
    def is_revisit(self) -> bool:
        return self.record.kind == "revisit"

    @property
    def digest(self) -> str:
        """Of the payload, wherever it stands."""
        if self.is_revisit:
            return self.record.fields.get("warc-payload-digest", "")
        return self.record.payload_digest

    def fetched_at(self, note: CaptureNote | None) -> datetime | None:
        """By the server's word, where it differs from the record's."""
        return (
            note.fetched_at if note and note.fetched_at else moment(self.record.fields.get("warc-date", ""))
        )


@dataclass
class Block:
    """Records that were appended together, and the note behind them; none if it is missing."""

    note: BlockNote | None = None
    captures: list[FoundCapture] = field(default_factory=list)
    end: int = 0
    noted_at: datetime | None = None

    @property
    def is_import(self) -> bool:
        return self.note is not None and self.note.node is None

    def indexed(self) -> Iterator[tuple[FoundCapture, CaptureNote | None]]:
        """Captures that belong into the index, each with what was noted of it."""
        if self.note is None:
            return
        notes = {note.record_id: note for note in self.note.captures}
        others = set(self.note.not_indexed)
        for found in self.captures:
            if found.record.id not in others:
                yield found, notes.get(found.record.id)


@dataclass(frozen=True)
class Problem:
    """Something that is not as it should be, and where."""

    file: str
    offset: int | None
    what: str

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.what}"
            if self.offset is None
            else f"{self.file} at {self.offset}: {self.what}"
        )


Piece = Record | Block | Move | Withdrawal | BrokenRecord


def contents(file: BinaryIO, start: int, end: int) -> Iterator[Piece]:
    """Every record, and behind the last of them the block they make; what is broken is told and passed over."""
    block = Block()
    for piece in _records(file, start, end):
        yield piece
        if isinstance(piece, BrokenRecord):
            continue
        if piece.kind in CAPTURE_KINDS:
            block.captures.append(FoundCapture(piece, piece.length))
        elif piece.kind == "request" and block.captures and _follows(block.captures[-1], piece):
            block.captures[-1].length += piece.length
        note = _note_in(piece)
        if isinstance(note, BlockNote):
            block.note = note
            block.end = piece.offset + piece.length
            block.noted_at = moment(piece.fields.get("warc-date", ""))
            yield block
            block = Block()
        elif note is not None:
            yield note
    if block.captures:
        yield block


def _records(file: BinaryIO, start: int, end: int) -> Iterator[Record | BrokenRecord]:
    at: int | None = start
    while at is not None:
        try:
            yield from records_in(file, at, end)
        except BrokenRecord as broken:
            yield broken
            at = next_member(file, broken.offset, end)
        else:
            return


def _follows(found: FoundCapture, record: Record) -> bool:
    return found.record.offset + found.length == record.offset and found.record.url == record.url


def _note_in(record: Record) -> BlockNote | Move | Withdrawal | None:
    """Nodes and files of others may bring records of any type, but none about what only the server speaks of."""
    shapes: dict[str, tuple[type[BaseModel], str]] = {
        block_notes.CONTENT_TYPE: (BlockNote, block_notes.TARGET_PREFIX),
        moves.CONTENT_TYPE: (Move, moves.TARGET_PREFIX),
        withdrawals.CONTENT_TYPE: (Withdrawal, withdrawals.TARGET_PREFIX),
    }
    shape, prefix = shapes.get(record.fields.get("content-type", ""), (None, ""))
    if not (record.content and record.url.startswith(prefix)):
        return None
    try:
        return shape.model_validate_json(record.content) if shape else None  # type: ignore[return-value]
    except ValidationError:
        return None  # its records are then without a note, which is what verifying tells


def moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
