"""One open file: what was not committed is cut back, and what may have been committed is not."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from django.db import OperationalError, transaction

from ronda.archive.models import WarcFile
from ronda.archive.warc_writer import WarcWriter

pytestmark = pytest.mark.django_db


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[WarcWriter]:
    writer = WarcWriter(tmp_path)
    yield writer
    writer.close()


def record(text: bytes) -> bytes:
    """One whole record."""
    head = b"WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: %d\r\n\r\n" % len(text)
    return gzip.compress(head + text + b"\r\n\r\n")


def append(
    writer: WarcWriter, data: bytes, *, then: Exception | None = None, is_committed: bool = True
) -> None:
    with writer.appending() as appending:
        with transaction.atomic():
            appending.append(BytesIO(record(data)))
            if is_committed:
                appending.note_size()
        if then:
            raise then


def sizes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.glob("*.warc.gz")}


def test_failure_cuts_back(writer: WarcWriter, tmp_path: Path) -> None:
    append(writer, b"good")
    before = sizes(tmp_path)
    with pytest.raises(ValueError, match="no"):
        append(writer, b"bad", then=ValueError("no"), is_committed=False)
    assert sizes(tmp_path) == before
    assert WarcFile.objects.get().size_bytes == before[WarcFile.objects.get().name]


@pytest.mark.parametrize("is_committed", [True, False])
def test_database_that_goes_away_leaves_the_file_to_the_index(
    writer: WarcWriter, tmp_path: Path, is_committed: bool
) -> None:
    """It was killed after the commit, or before it: only its word, later, tells one from the other."""
    append(writer, b"good")
    [(first, size)] = sizes(tmp_path).items()
    with pytest.raises(OperationalError):
        append(writer, b"maybe", then=OperationalError("gone"), is_committed=is_committed)
    append(writer, b"next")
    assert sizes(tmp_path)[first] == size + (len(record(b"maybe")) if is_committed else 0)
    assert WarcFile.objects.get(name=first).closed_at
    assert len(sizes(tmp_path)) == 2
    for row in WarcFile.objects.all():
        assert row.size_bytes == sizes(tmp_path)[row.name]
