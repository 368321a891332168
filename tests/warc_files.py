"""Every WARC file a test leaves is read by others: warcio, FastWARC, and pywb's indexer where that is installed."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import uuid
from collections.abc import Iterable
from pathlib import Path
from tempfile import mkdtemp

from fastwarc.warc import ArchiveIterator
from warcio.checker import Checker

from ronda.archive.file_reader import next_member, whole_until
from ronda.archive.programs import find
from ronda.errors import Unavailable

# In a folder whose files a test has spoilt on purpose.
SPOILT = "spoilt"
COPIES = Path(mkdtemp(prefix="ronda-warc-"))
atexit.register(shutil.rmtree, COPIES, ignore_errors=True)


def archives_below(folder: Path) -> list[Path]:
    """A home's archive, or that of homes in this folder."""
    return [*folder.glob("archive"), *folder.glob("*/archive")]


def assert_read_by_others(folders: Iterable[Path]) -> None:
    """What was read is kept for pywb, which reads all of it at the end."""
    for folder in folders:
        if not (folder / SPOILT).exists():
            for path in folder.glob("*.warc.gz"):
                _assert_read(_without_torn_end(path))


def what_pywb_says() -> str:
    """Its complaints about all files of this run; none is good."""
    files = sorted(COPIES.iterdir())
    indexer = pywb_indexer()
    if not files or indexer is None:
        return ""
    with (COPIES / "index.cdxj").open("wb") as index:
        done = subprocess.run([indexer, *files], stdout=index, stderr=subprocess.PIPE, text=True, check=False)
    return done.stderr if done.returncode or "Traceback" in done.stderr else ""


def pywb_indexer() -> Path | None:
    try:
        return find("cdx-indexer")
    except Unavailable:
        return None


def _without_torn_end(path: Path) -> Path:
    """A process killed while it appended leaves a part of a record; the next start cuts it off."""
    size = path.stat().st_size
    with path.open("rb") as file:
        good = whole_until(file, 0, size)
        assert next_member(file, good, size) is None or good == size, (
            f"{path} is torn in the middle, at {good}"
        )
        file.seek(0)
        copy = COPIES / f"{uuid.uuid4().hex}-{path.name}"
        copy.write_bytes(file.read(good))
    return copy


def _assert_read(path: Path) -> None:
    arguments = type("Arguments", (), {"inputs": [str(path)], "verbose": False})
    assert Checker(arguments()).process_all() == 0, f"warcio check {path.name}"
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            has_digest = record.headers.get("WARC-Block-Digest") is not None
            assert not has_digest or record.verify_block_digest(consume=False), (path.name, record.record_id)
