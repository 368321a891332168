"""After a crash: files nobody holds are cut back to what was acknowledged, and closed.

If the disk lost bytes that were acknowledged, the file is cut to its last whole record, and the index with it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import uuid
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from ronda.archive.block_notes import BlockNote, CaptureNote, note_record
from ronda.archive.file_contents import Block, contents
from ronda.archive.file_reader import whole_until
from ronda.archive.models import Capture, WarcFile
from ronda.archive.record_parser import Record
from ronda.archive.strangers import strangers

logger = logging.getLogger(__name__)


def close_abandoned_files(folder: Path) -> None:
    """Of this machine only: others' disks are not ours to judge."""
    for row in WarcFile.objects.filter(closed_at=None, machine=socket.gethostname()):
        path = folder / row.name
        if path.exists():
            _close(path, row)
    _look_at_strangers(folder)


def is_held(file: BinaryIO) -> bool:
    """Whether a living process writes it; if not, it is ours until we close it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _close(path: Path, row: WarcFile) -> None:
    with path.open("r+b") as file:
        if is_held(file):
            return
        row.refresh_from_db()  # its process may have acknowledged more before it went
        excess = path.stat().st_size - row.size_bytes
        if excess > 0:
            logger.warning("cutting %d bytes off %s: they were never acknowledged", excess, path.name)
            _cut(file, row.size_bytes)
        there = min(path.stat().st_size, row.size_bytes)
        # What lies before the last capture was safe on disk before that was written.
        known = Capture.objects.filter(file=row, offset__lt=there).aggregate(last=Max("offset"))["last"]
        good = whole_until(file, known or 0, there)
        if good < row.size_bytes:
            _give_up_what_is_lost(file, row, good)
        WarcFile.objects.filter(pk=row.pk).update(closed_at=timezone.now())


def _give_up_what_is_lost(file: BinaryIO, row: WarcFile, good: int) -> None:
    """The file ends with its last whole record; captures that reach further are no more."""
    _cut(file, good)
    with transaction.atomic():
        behind = Capture.objects.filter(file=row, offset__gt=good - F("response_length"))
        lost = list(behind.order_by("offset").values_list("url", flat=True))
        Capture.objects.filter(refers_to__in=behind.values("pk")).update(refers_to=None)
        behind.delete()
        # Of the last one, the request record may be gone.
        Capture.objects.filter(file=row, offset__gt=good - F("length")).update(length=F("response_length"))
        size_bytes = _note_the_rest(file, row, good)
        WarcFile.objects.filter(pk=row.pk).update(size_bytes=size_bytes)
    logger.error(
        "%s lost %d acknowledged bytes, and with them %d captures: %s",
        row.name, row.size_bytes - good, len(lost), " ".join(lost[:100]),
    )  # fmt: skip


def _note_the_rest(file: BinaryIO, row: WarcFile, good: int) -> int:
    """The note behind the last records is lost, too: another says what the index knows of those that are left."""
    left = [block for block in contents(file, 0, good) if isinstance(block, Block) and block.note is None]
    if not left:
        return good
    indexed = {
        capture.offset: capture
        for capture in Capture.objects.filter(file=row, offset__gte=left[0].captures[0].record.offset)
        .select_related("collection")
        .order_by("offset")
    }
    records = [found.record for found in left[0].captures]
    notes = [_note(record.id, indexed[record.offset]) for record in records if record.offset in indexed]
    first = next(iter(indexed.values()), None)
    note = BlockNote(
        node=first.node if first else None,
        owner=(first.owner if first else None) or 0,
        captures=notes,
        not_indexed=[record.id for record in records if record.offset not in indexed],
    )
    file.seek(good)
    file.write(note_record(uuid.uuid4(), note))
    file.flush()
    os.fsync(file.fileno())
    return file.tell()


def _note(record_id: str, capture: Capture) -> CaptureNote:
    return CaptureNote(
        record_id=record_id,
        fetched_at=capture.fetched_at,
        collection=capture.collection.slug if capture.collection else "",
        source=capture.source,
        visit=capture.visit,
    )


def _cut(file: BinaryIO, size_bytes: int) -> None:
    file.truncate(size_bytes)
    os.fsync(file.fileno())


def _look_at_strangers(folder: Path) -> None:
    """Such as hold captures are not ours to touch: `ronda archive reindex` takes them in."""
    for path in strangers(folder):
        with suppress(FileNotFoundError):  # another one looks at the same time
            if _is_only_begun(path):
                path.unlink()
                logger.info("%s was begun by a process that is gone, and is empty: removed", path.name)
            else:
                logger.warning("%s is in the archive's folder and not in its index", path.name)


def _is_only_begun(path: Path) -> bool:
    """Its process was killed before the index knew of it: nothing was ever kept in it."""
    with path.open("rb") as file:
        if not path.name.startswith("ronda-") or is_held(file):
            return False
        size_bytes = path.stat().st_size
        first = next(iter(contents(file, 0, size_bytes)), None)
        return first is None or (
            isinstance(first, Record) and first.kind == "warcinfo" and first.length == size_bytes
        )
