"""What of an upload is kept, and how: payloads the archive holds become revisits, and some answers leave no trace."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, BinaryIO

from ronda.archive import revisits
from ronda.archive.block_notes import BlockNote, CaptureNote, note_record
from ronda.archive.queries import slugs_of
from ronda.archive.revisits import Target, Wanted
from ronda.archive.services import FetchedBy, NewCapture
from ronda.archive.withdrawals import hold_off_withdrawals
from ronda.frontier.purposes import NOBODYS
from ronda.grid.answer_records import Answer
from ronda.grid.assignments import Assignment
from ronda.grid.redating import Redated, Redating, warc_date
from ronda.grid.sameness import Sameness, sameness_of
from ronda.grid.upload_reader import ReadRecord

PIECE_BYTES = 1024 * 1024


@dataclass
class Keeping:
    """What is appended, in order: records as they came, or others in their place. Offsets count from its start."""

    redating: Redating
    sameness: Sameness = field(default_factory=Sameness)
    parts: list[ReadRecord | Redated | bytes] = field(default_factory=list)
    captures: list[NewCapture] = field(default_factory=list)
    notes: list[CaptureNote] = field(default_factory=list)
    # Where what came at an offset of the upload lies now.
    moved: dict[int, int] = field(default_factory=dict)
    size_bytes: int = 0

    def add(self, record: ReadRecord, instead: bytes | Redated | None = None) -> int:
        """Returns how long it is."""
        length = record.length
        if instead:
            length = instead.length if isinstance(instead, Redated) else len(instead)
        self.moved[record.offset] = self.size_bytes
        self.parts.append(instead or record)
        self.size_bytes += length
        return length

    def note(self, block: uuid.UUID, fetched_by: FetchedBy) -> None:
        """Behind the records, whose they are: so that the files alone tell it."""
        if self.captures:
            note = BlockNote(
                node=fetched_by.node, owner=fetched_by.owner, captures=self.notes, not_indexed=[]
            )
            self.parts.append(note_record(block, note))

    def pieces(self, upload: BinaryIO) -> Iterator[bytes]:
        """Neighbours of the upload are read together."""
        begin = end = 0
        for part in self.parts:
            if isinstance(part, ReadRecord) and part.offset == end:
                end += part.length
                continue
            yield from _read(upload, begin, end)
            begin = end = 0
            match part:
                case bytes():
                    yield part
                case Redated():
                    yield from _read(self.redating.file, part.offset, part.offset + part.length)
                case ReadRecord():
                    begin, end = part.offset, part.offset + part.length
        yield from _read(upload, begin, end)


def keep(
    records: Sequence[ReadRecord],
    answers: Mapping[str, Answer],
    assigned: Mapping[str, Assignment],
    redating: Redating,
) -> Keeping:
    """Call it in the transaction that keeps it."""
    if any(one.belonging is not NOBODYS or one.known for one in assigned.values()):
        hold_off_withdrawals()
        wanted = {found for record in records if (found := _wanted(record, assigned.get(record.request_id)))}
        slugs = slugs_of({one.belonging.collection_id for one in assigned.values()})
        keeping = Keeping(redating, sameness_of(answers, assigned))
        keeper = _Keeper(keeping, slugs, revisits.held_payloads(wanted))
    else:
        keeper = _Keeper(Keeping(redating), {}, {})
    for record, request in _exchanges(records):
        keeper.take(record, request, assigned.get(record.request_id))
    return keeper.keeping


class _Keeper:
    """Goes through the records in order: what is kept whole may be referred to by those behind it."""

    def __init__(
        self,
        keeping: Keeping,
        slugs: Mapping[int | None, str],
        held: dict[Wanted, Target],
    ) -> None:
        self.keeping = keeping
        self._slugs = slugs
        self._held = held

    def take(self, record: ReadRecord, request: ReadRecord | None, assignment: Assignment | None) -> None:
        """`request`: the record behind a response. Without an assignment it was mixed in to try the node: left out."""
        if assignment is None:
            return
        found = self.keeping.sameness
        is_same = record.request_id in found.same
        if record.request_id in found.stale or (is_same and not assignment.is_kept_unchanged):
            return
        if record.is_response:
            self._take_capture(record, request, assignment)
        else:
            self._add(record, self.keeping.redating.moment_of(record))

    def _add(self, record: ReadRecord, moment: datetime) -> int:
        """As it came, unless its node's clock was wrong. A request is of the moment of its response."""
        return self.keeping.add(record, self.keeping.redating.redated(record, moment))

    def _take_capture(self, record: ReadRecord, request: ReadRecord | None, assignment: Assignment) -> None:
        fetched_at = self.keeping.redating.moment_of(record)
        offset, revisit = self.keeping.size_bytes, self._revisit(record, fetched_at, assignment)
        if not revisit and (wanted := _wanted(record, assignment)):
            self._held[wanted] = Target(record.url, fetched_at, offset=offset)
        response_length = (
            self.keeping.add(record, revisit.record) if revisit else self._add(record, fetched_at)
        )
        # With many unchanged pages, requests would be half of the archive, and all alike.
        length = response_length + (self._add(request, fetched_at) if request and not revisit else 0)
        shown = revisit or record
        self.keeping.captures.append(
            NewCapture(
                url=record.url,
                fetched_at=fetched_at,
                status=shown.status,
                mime=shown.mime,
                digest=shown.payload_digest,
                address=record.fields.get("warc-ip-address", "")[:45],
                truncated=record.fields.get("warc-truncated", "")[:12],
                offset=offset,
                length=length,
                response_length=response_length,
                payload_bytes=0 if revisit or record.kind == "revisit" else record.payload_bytes,
                refers_to=revisit.target.capture_id if revisit else None,
                refers_to_offset=revisit.target.offset if revisit else None,
                collection=assignment.belonging.collection_id,
                source=assignment.belonging.source,
                visit=assignment.belonging.visit,
            )
        )
        self._note(record.id, assignment)

    def _revisit(self, record: ReadRecord, fetched_at: datetime, assignment: Assignment) -> _Revisit | None:
        fields = record.fields
        if record.fetched_at != fetched_at:
            fields = fields | {"warc-date": warc_date(fetched_at)}
        known = self.keeping.sameness.same.get(record.request_id) if record.url == assignment.url else None
        if known and record.status == 304:
            instead = revisits.not_modified(fields, known)
            return _Revisit(known.target, instead, known.status, known.mime, known.digest)
        wanted = _wanted(record, assignment)
        target = known.target if known else self._held.get(wanted) if wanted else None
        if target is None:
            return None
        instead = revisits.identical(fields, record.block_start, target)
        return _Revisit(target, instead, record.status, record.mime, record.payload_digest)

    def _note(self, record_id: str, assignment: Assignment) -> None:
        """What the record itself does not say."""
        belonging = assignment.belonging
        if belonging is not NOBODYS:
            self.keeping.notes.append(
                CaptureNote(
                    record_id=record_id,
                    collection=self._slugs.get(belonging.collection_id, ""),
                    source=belonging.source,
                    visit=belonging.visit,
                )
            )


@dataclass(frozen=True)
class _Revisit:
    """What stands in the place of a response, and what it shows."""

    target: Target
    record: bytes
    status: int
    mime: str
    payload_digest: str


def _wanted(record: ReadRecord, assignment: Assignment | None) -> Wanted | None:
    """A whole payload of a source: worth looking for, and worth being found."""
    if assignment is None or assignment.belonging.source is None or record.kind != "response":
        return None
    if not record.payload_bytes or record.fields.get("warc-truncated"):
        return None
    return assignment.belonging.source, record.payload_digest


def _exchanges(records: Sequence[ReadRecord]) -> Iterator[tuple[ReadRecord, ReadRecord | None]]:
    """Responses with the request behind them; what else there is, alone."""
    number = 0
    while number < len(records):
        record = records[number]
        follower = records[number + 1] if record.is_response and number + 1 < len(records) else None
        has_request = follower is not None and follower.kind == "request"
        yield record, follower if has_request else None
        number += 2 if has_request else 1


def _read(upload: IO[bytes], begin: int, end: int) -> Iterator[bytes]:
    upload.seek(begin)
    while begin < end:
        piece = upload.read(min(PIECE_BYTES, end - begin))
        begin += len(piece)
        yield piece
