"""One capture out of its file: the response record as it was written."""

from __future__ import annotations

import gzip

from ronda.archive.models import Capture
from ronda.archive.services import archive_folder


def response_record(capture: Capture) -> bytes:
    with (archive_folder() / capture.file.name).open("rb") as file:
        file.seek(capture.offset)
        return gzip.decompress(file.read(capture.response_length))


def response_field(record: bytes, name: bytes) -> str:
    """A field of the HTTP response in a record; nothing if it has none."""
    _warc, _, block = record.partition(b"\r\n\r\n")
    head = block.partition(b"\r\n\r\n")[0]
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().decode("latin-1")
    return ""
