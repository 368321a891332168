"""Captures as a WARC file of their own: the records as they lie in the archive, behind a warcinfo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ronda.archive.models import Capture
from ronda.archive.services import archive_folder
from ronda.archive.warc_writer import warcinfo

READ_BYTES = 1024 * 1024


def warc_of(captures: Iterable[Capture]) -> Iterator[bytes]:
    """The bytes of the file, piece by piece, in bounded memory."""
    yield warcinfo("export.warc.gz")
    name, file = "", None
    try:
        for capture in captures:
            if capture.file.name != name or file is None:
                if file:
                    file.close()
                name = capture.file.name
                file = (archive_folder() / name).open("rb")
            yield from _piece(file, capture.offset, capture.length)
    finally:
        if file:
            file.close()


def _piece(file: BinaryIO, offset: int, length: int) -> Iterator[bytes]:
    file.seek(offset)
    while length > 0:
        data = file.read(min(READ_BYTES, length))
        if not data:
            return
        length -= len(data)
        yield data
