"""Every WARC file a test leaves is read by others: warcio, FastWARC, and pywb's indexer where that is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from fastwarc.warc import ArchiveIterator
from warcio.checker import Checker

from ronda.archive.file_reader import next_member, whole_until
from ronda.archive.programs import find
from ronda.errors import Unavailable

# In a folder whose files a test has spoilt on purpose.
SPOILT = "spoilt"


def archives_below(folder: Path) -> list[Path]:
    """A home's archive, or that of homes in this folder."""
    return [*folder.glob("archive"), *folder.glob("*/archive")]


def assert_read_by_others(folders: Iterable[Path]) -> None:
    files = [
        path for folder in folders if not (folder / SPOILT).exists() for path in folder.glob("*.warc.gz")
    ]
    with TemporaryDirectory(prefix="ronda-read-") as copies:
        whole = [_without_torn_end(path, Path(copies)) for path in files]
        for path in whole:
            _assert_read(path)
        if whole and (indexer := pywb_indexer()):
            indexed = subprocess.run([indexer, *whole], capture_output=True, text=True, check=False)
            assert indexed.returncode == 0, indexed.stderr
            assert "Traceback" not in indexed.stderr, indexed.stderr


def pywb_indexer() -> Path | None:
    try:
        return find("cdx-indexer")
    except Unavailable:
        return None


def _without_torn_end(path: Path, copies: Path) -> Path:
    """A process killed while it appended leaves a part of a record; the next start cuts it off."""
    size = path.stat().st_size
    with path.open("rb") as file:
        good = whole_until(file, 0, size)
        assert next_member(file, good, size) is None or good == size, (
            f"{path} is torn in the middle, at {good}"
        )
        file.seek(0)
        copy = copies / path.name
        copy.write_bytes(file.read(good))
    return copy


def _assert_read(path: Path) -> None:
    arguments = type("Arguments", (), {"inputs": [str(path)], "verbose": False})
    assert Checker(arguments()).process_all() == 0, f"warcio check {path.name}"
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            has_digest = record.headers.get("WARC-Block-Digest") is not None
            assert not has_digest or record.verify_block_digest(consume=False), (path.name, record.record_id)
