"""The one open WARC file of this process: appended to, fsynced, then acknowledged; cut back if anything fails."""

from __future__ import annotations

import fcntl
import os
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from django.db import Error as DatabaseProblem
from warcio.warcwriter import WARCWriter

from ronda import __version__
from ronda.archive.errors import StorageFailed
from ronda.archive.models import WarcFile
from ronda.archive.strangers import beginning

ROTATE_BYTES = 1024**3
PIECE_BYTES = 1024 * 1024


class WarcWriter:
    """Owns at most one open file. One appends at a time: file and index move forward together or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        self._row: WarcFile | None = None

    @contextmanager
    def appending(self) -> Iterator[Appending]:
        """Append inside; commit the index inside too. An exception takes back what was appended."""
        with self._lock:
            file, row = self._open_file()
            start = file.seek(0, os.SEEK_END)
            try:
                yield Appending(file, row)
            except DatabaseProblem:
                # The commit may have been made and only its answer lost. The index knows, once it can be asked.
                self.abandon()
                raise
            except BaseException:
                file.truncate(start)
                raise
            if file.tell() >= ROTATE_BYTES:
                self.close()

    def _open_file(self) -> tuple[BinaryIO, WarcFile]:
        if self._file is None or self._row is None:
            from ronda.archive.repair import (
                close_abandoned_files,
            )  # it reads notes, whose room writes through us

            close_abandoned_files(self.folder)
            self._file, self._row = self._new_file()
        return self._file, self._row

    def _new_file(self) -> tuple[BinaryIO, WarcFile]:
        moment = datetime.now(UTC)
        machine = socket.gethostname()
        name = f"ronda-{moment:%Y%m%d%H%M%S%f}-{machine}-{os.getpid()}.warc.gz"
        try:
            with beginning(self.folder):
                file = self._created(name)
                try:
                    row = WarcFile.objects.create(name=name, machine=machine, size_bytes=file.tell())
                except DatabaseProblem:
                    file.close()
                    (self.folder / name).unlink()
                    raise
        except OSError as error:
            raise StorageFailed(f"{self.folder} cannot be written: {error.strerror}.") from error
        return file, row

    def _created(self, name: str) -> BinaryIO:
        file = (self.folder / name).open("xb", buffering=0)
        # Held while we live: whoever gets it later knows that the file is nobody's.
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(warcinfo(name))
        os.fsync(file.fileno())
        _sync_folder(self.folder)
        return file

    def abandon(self) -> None:
        """Let go of the file as it is: whoever opens the next one puts it in order."""
        if self._file:
            self._file.close()
        self._file = self._row = None

    def close(self) -> None:
        """No more of this file; the next append begins another."""
        if self._file and self._row:
            WarcFile.objects.filter(pk=self._row.pk).update(closed_at=datetime.now(UTC))
            self._file.close()
        self._file = self._row = None


class Appending:
    """The file while one appends to it."""

    def __init__(self, file: BinaryIO, row: WarcFile) -> None:
        self._file = file
        self.row = row

    def append(self, records: BinaryIO) -> int:
        """Append whole gzip members; returns where they begin. On disk when this returns."""
        return self.append_pieces(iter(lambda: records.read(PIECE_BYTES), b""))

    def append_pieces(self, pieces: Iterable[bytes]) -> int:
        """The same, of records that come in pieces."""
        start = self._file.seek(0, os.SEEK_END)
        try:
            for piece in pieces:
                self._write(piece)
            os.fsync(self._file.fileno())
        except OSError as error:
            raise StorageFailed(f"The WARC file did not take it: {error.strerror}.") from error
        return start

    def _write(self, piece: bytes) -> None:
        # A disk that fills up takes a part of it, and only refuses the next one.
        while piece:
            piece = piece[self._file.write(piece) :]

    def note_size(self) -> None:
        """Say in the index how far the file is good; in the transaction of the captures."""
        WarcFile.objects.filter(pk=self.row.pk).update(size_bytes=self._file.tell())


def warcinfo(name: str, more: Mapping[str, str] | None = None) -> bytes:
    buffer = BytesIO()
    writer = WARCWriter(buffer, gzip=True, warc_version="1.1")
    about = {"software": f"ronda/{__version__}", "format": "WARC File Format 1.1", **(more or {})}
    writer.write_record(writer.create_warcinfo_record(name, about))
    return buffer.getvalue()


def _sync_folder(folder: Path) -> None:
    """A new name is only safe once its folder is."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
