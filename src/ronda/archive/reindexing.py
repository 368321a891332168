"""`ronda archive reindex`: the index made anew from the WARC files alone, file by file, while everything runs.

Ids of captures that the index knows by file and offset stay, as other rooms refer to them.
"""

from __future__ import annotations

import json
import re
import socket
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from django.db import connection, transaction

from ronda.archive.file_contents import Block, Piece, Problem, contents
from ronda.archive.indexing import collection_named, index_block, refer_block
from ronda.archive.models import Capture, WarcFile
from ronda.archive.moves import Move
from ronda.archive.record_parser import BrokenRecord, Record
from ronda.archive.repair import is_held
from ronda.archive.strangers import strangers
from ronda.archive.verifying import OnRead
from ronda.archive.withdrawals import Kind, Withdrawal
from ronda.database.named_sql import named_sql

OWN_NAME = re.compile(r"ronda-(?P<moment>\d{20})-(?P<machine>.+)-\d+\.warc\.gz")


@dataclass
class Reindexed:
    """What one file gave."""

    captures: int = 0
    dropped: int = 0
    unresolved: int = 0
    is_elsewhere: bool = False
    withdrawals: list[Withdrawal] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def adopt_strangers(folder: Path) -> list[Problem]:
    """Files of ours that the index does not know, as after the loss of a database, get their rows."""
    found = [_adopt(path) for path in strangers(folder)]
    return [problem for problem in found if problem]


def _adopt(path: Path) -> Problem | None:
    match = OWN_NAME.fullmatch(path.name)
    if match is None:
        return Problem(path.name, None, "it is not of Ronda's making: use `ronda import`")
    try:
        return _adopt_file(path, match)
    except OSError as error:
        return _unreadable(path.name, error)


def _adopt_file(path: Path, match: re.Match[str]) -> Problem | None:
    with path.open("rb") as file:
        if is_held(file):
            return None  # by a living process, whose row has not been committed
        good, has_notes = _acknowledged(file, path.stat().st_size)
        if not has_notes:
            return Problem(path.name, None, "it has captures and no note of whose they are")
        WarcFile.objects.get_or_create(
            name=path.name,
            defaults={
                "machine": match["machine"],
                "size_bytes": good,
                "created_at": datetime.strptime(match["moment"], "%Y%m%d%H%M%S%f").replace(tzinfo=UTC),
            },
        )
    return None


def _acknowledged(file: BinaryIO, size: int) -> tuple[int, bool]:
    """Up to where everything has its note: what lies behind was never acknowledged. And whether all of it has none."""
    good = last = blocks = notes = 0
    for piece in contents(file, 0, size):
        if isinstance(piece, Record):
            last = piece.offset + piece.length
        if isinstance(piece, Withdrawal | Move) or (isinstance(piece, Record) and piece.offset == 0):
            good = last
        elif isinstance(piece, Block):
            blocks += 1
            if piece.note:
                notes, good = notes + 1, piece.end
    return good, bool(notes or not blocks)


def reindex_file(*, folder: Path, row: WarcFile, on_read: OnRead = lambda done: None) -> Reindexed:
    """One file, in one transaction. Its row stays locked against nobody: what is appended meanwhile lies behind."""
    result = Reindexed()
    path = folder / row.name
    try:
        if path.exists():
            _reindex(path, row, result, on_read)
        elif row.machine != socket.gethostname():
            result.is_elsewhere = True
        else:
            result.problems.append(Problem(row.name, None, "it is missing"))
    except OSError as error:
        return Reindexed(problems=[_unreadable(row.name, error)])
    return result


def _unreadable(name: str, error: OSError) -> Problem:
    return Problem(name, None, f"it cannot be read: {error.strerror}")


def _reindex(path: Path, row: WarcFile, result: Reindexed, on_read: OnRead) -> None:
    end = min(row.size_bytes, path.stat().st_size)
    if end < row.size_bytes:
        result.problems.append(Problem(row.name, end, f"{row.size_bytes - end} bytes are missing"))
    found = _Found(is_cut=end < row.size_bytes)
    with path.open("rb") as file, transaction.atomic():
        for piece in contents(file, 0, end):
            if isinstance(piece, Record):
                on_read(piece.offset)
            _take(piece, row, found, result)
        result.dropped = _drop_others(row, found, row.size_bytes)
        result.unresolved = _unresolved(row, found)


def refer_imports(*, folder: Path, row: WarcFile) -> None:
    """What imported revisits of a file refer to: last, as that depends on where captures stand and which count."""
    path = folder / row.name
    if not path.exists():
        return
    with path.open("rb") as file, transaction.atomic():
        for piece in contents(file, 0, min(row.size_bytes, path.stat().st_size)):
            if isinstance(piece, Block) and piece.is_import:
                refer_block(file=row, start=0, block=piece)


class _Found:
    """Where captures begin; what is in broken pieces is not known to be gone."""

    def __init__(self, is_cut: bool) -> None:
        self._is_cut = is_cut
        self.offsets: set[int] = set()
        self.revisits: list[int] = []
        self.broken: list[tuple[int, int]] = []
        self._broken_from: int | None = None

    def note_place(self, piece: Piece) -> None:
        if isinstance(piece, BrokenRecord):
            self._broken_from = piece.offset
        elif isinstance(piece, Record) and self._broken_from is not None:
            self.broken.append((self._broken_from, piece.offset))
            self._broken_from = None

    def is_perhaps_there(self, offset: int) -> bool:
        if self._broken_from is not None and offset >= self._broken_from:
            return not self._is_cut
        return offset in self.offsets or any(first <= offset < last for first, last in self.broken)


def _take(piece: Piece, row: WarcFile, found: _Found, result: Reindexed) -> None:
    found.note_place(piece)
    if isinstance(piece, BrokenRecord):
        result.problems.append(Problem(row.name, piece.offset, f"a record is broken: {piece.reason}"))
    elif isinstance(piece, Withdrawal):
        result.withdrawals.append(piece)
    elif isinstance(piece, Move):
        result.moves.append(piece)
    elif isinstance(piece, Block):
        if piece.note is None:
            # Nothing says whose they are; what the index knows of them stays.
            found.offsets.update(capture.record.offset for capture in piece.captures)
            result.problems.append(
                Problem(
                    row.name, piece.captures[0].record.offset, f"{len(piece.captures)} captures have no note"
                )
            )
            return
        result.captures += index_block(file=row, start=0, block=piece)
        for capture, _note in piece.indexed():
            found.offsets.add(capture.record.offset)
            if capture.is_revisit:
                found.revisits.append(capture.record.offset)


def _drop_others(row: WarcFile, found: _Found, end: int) -> int:
    """Rows of which the file knows nothing."""
    rows = Capture.objects.filter(file=row, offset__lt=end).values_list("pk", "offset")
    gone = [pk for pk, offset in rows.iterator(10_000) if not found.is_perhaps_there(offset)]
    Capture.objects.filter(refers_to__in=gone).update(refers_to=None)
    Capture.objects.filter(pk__in=gone).delete()
    return len(gone)


def _unresolved(row: WarcFile, found: _Found) -> int:
    """Revisits of what stands in a file that was not read yet, or nowhere."""
    return Capture.objects.filter(file=row, offset__in=found.revisits, refers_to=None).count()


def withdraw_again(withdrawals: list[Withdrawal]) -> None:
    """In the order in which they were made: the first of a kind sets the time."""
    for withdrawal in sorted(withdrawals, key=lambda one: one.at):
        arguments = {
            "pieces": json.dumps([piece.model_dump() for piece in withdrawal.pieces]),
            "node": withdrawal.node,
            "visit": withdrawal.visit,
            "source": withdrawal.source,
            "at": withdrawal.at,
            "is_voided": withdrawal.kind == Kind.VOIDED,
        }
        with connection.cursor() as cursor:
            cursor.execute(named_sql("ronda.archive", "withdraw"), arguments)


def move_again(moves: list[Move]) -> None:
    """Block notes name collections as they were: the last move of a source holds for all its captures."""
    last = {move.source: move.collection for move in sorted(moves, key=lambda one: one.at)}
    for source, slug in last.items():
        collection = collection_named(slug)
        Capture.objects.filter(source=source).exclude(collection=collection).update(collection=collection)
