"""Imported captures on their way into the archive, some hundred at a time: what is there already is passed over."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from tempfile import TemporaryFile
from typing import IO

from django.db import connection

from ronda.archive.block_notes import BlockNote, CaptureNote, note_record
from ronda.archive.file_contents import CAPTURE_KINDS, Block, contents, moment
from ronda.archive.foreign_warc import ForeignRecord, Group
from ronda.archive.indexing import index_block, refer_block
from ronda.archive.models import Capture, Collection
from ronda.archive.taking_over import Unfit, take_over
from ronda.archive.warc_writer import Appending
from ronda.frontier.services import digest_of

BATCH_BYTES = 32 * 1024**2
BATCH_CAPTURES = 500
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('ronda.archive.import', %s))"

# Of a capture: its URL, when it was made, and what of. The digest of a revisit depends on what it refers to.
Key = tuple[uuid.UUID, datetime, str]


@dataclass
class _Member:
    """A group that was written into the batch: its first byte, its end, its key, and the ids of its records."""

    first: int
    end: int
    key: Key
    capture_id: str
    not_indexed: list[str]


class Batch:
    """Collects groups; `keep` appends those the archive does not have yet, in the transaction around it."""

    def __init__(self, collection: Collection, owner: int) -> None:
        self._collection = collection
        self._owner = owner
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115  (closed by close())
        self._members: list[_Member] = []

    def __len__(self) -> int:
        return len(self._members)

    @property
    def is_full(self) -> bool:
        return self._file.tell() >= BATCH_BYTES or len(self._members) >= BATCH_CAPTURES

    def add(self, group: Group) -> None:
        """Raises Unfit, and is as before, if its capture cannot be taken over."""
        if group.main is None:
            return
        first = self._file.tell()
        not_indexed: list[str] = []
        try:
            self._add_around(group.before, not_indexed)
            capture_id = take_over(group.main, self._file)
        except Unfit:
            self._file.seek(first)
            self._file.truncate()
            raise
        self._add_around([group.request] if group.request else [], not_indexed)
        self._add_around(group.behind, not_indexed)
        self._members.append(_Member(first, self._file.tell(), _key(group.main), capture_id, not_indexed))

    def _add_around(self, others: list[ForeignRecord], not_indexed: list[str]) -> None:
        for other in others:
            try:
                written = take_over(other, self._file)
            except Unfit:
                continue  # it says nothing that the capture does not say itself
            if other.record.kind in CAPTURE_KINDS:
                not_indexed.append(written)

    def keep(self, appending: Appending) -> int:
        """How many were new. Two imports at a time into one collection wait for each other here."""
        with connection.cursor() as cursor:
            cursor.execute(_LOCK, [self._collection.pk])
        known = self._known()
        fresh: dict[Key, _Member] = {}
        for member in self._members:
            if member.key not in known:
                fresh.setdefault(member.key, member)
        if fresh:
            self._append(appending, list(fresh.values()))
        return len(fresh)

    def _known(self) -> set[Key]:
        there = Capture.objects.filter(
            collection=self._collection, url_digest__in={member.key[0] for member in self._members}
        )
        known: set[Key] = set()
        for url_digest, fetched_at, digest in there.values_list("url_digest", "fetched_at", "digest"):
            known |= {(url_digest, fetched_at, digest), (url_digest, fetched_at, "revisit")}
        return known

    def _append(self, appending: Appending, members: list[_Member]) -> None:
        note = BlockNote(
            owner=self._owner,
            captures=[
                CaptureNote(record_id=member.capture_id, collection=self._collection.slug)
                for member in members
            ],
            not_indexed=[record_id for member in members for record_id in member.not_indexed],
        )
        with TemporaryFile() as body:
            for member in members:
                self._file.seek(member.first)
                _copy(self._file, body, member.end - member.first)
            body.write(note_record(uuid.uuid4(), note))
            size = body.tell()
            body.seek(0)
            start = appending.append(body)
            for piece in contents(body, 0, size):
                if isinstance(piece, Block):
                    index_block(file=appending.row, start=start, block=piece)
                    refer_block(file=appending.row, start=start, block=piece)
        appending.note_size()

    def close(self) -> None:
        self._file.close()


def _key(one: ForeignRecord) -> Key:
    record = one.record
    fetched_at = moment(record.fields["warc-date"])
    assert fetched_at is not None  # noqa: S101  (else it had been unfit)
    digest = "revisit" if record.kind == "revisit" else record.payload_digest
    return digest_of(record.url), fetched_at, digest


def _copy(source: IO[bytes], target: IO[bytes], count: int) -> None:
    while count > 0:
        data = source.read(min(count, 1024 * 1024))
        target.write(data)
        count -= len(data)
