"""Files handed in for a job to read: none is lost because somebody hands in another one at the same time."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from ronda.jobs.errors import UploadGone, UploadNotKept
from ronda.jobs.handed_in import LEAVE_ALONE_SECONDS, HandedIn
from ronda.jobs.models import Job, State

pytestmark = pytest.mark.django_db

FILES = HandedIn(kind="import_warc", ending="warc")


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    with override_settings(RONDA=replace(settings.RONDA, home=tmp_path)):
        yield tmp_path


class SlowBody(io.BytesIO):
    """While it arrives, somebody else hands in a file."""

    def read(self, size: int | None = -1, /) -> bytes:
        FILES.keep(io.BytesIO(b"of somebody else"))
        return super().read(size)


def made_old(path: Path) -> None:
    moment = path.stat().st_mtime - LEAVE_ALONE_SECONDS - 1
    os.utime(path, (moment, moment))


def test_two_at_once() -> None:
    upload = FILES.keep(SlowBody(b"mine"))
    assert FILES.path(upload, "mine.warc").read_bytes() == b"mine"


def test_what_no_job_will_read_is_cleared_away() -> None:
    read, failed, foreign = (FILES.keep(io.BytesIO(b"x")) for _ in range(3))
    for upload in (read, failed, foreign):
        made_old(FILES.path(upload, "x"))
    Job.objects.create(kind=FILES.kind, arguments={"upload": str(read)}, state=State.QUEUED)
    Job.objects.create(kind=FILES.kind, arguments={"upload": str(failed)}, state=State.FAILED)
    HandedIn(kind="import_dump", ending="export").keep(io.BytesIO(b"another kind clears its own"))
    assert FILES.path(failed, "x").exists()
    FILES.keep(io.BytesIO(b"y"))
    assert FILES.path(read, "x").exists()
    for upload in (failed, foreign):
        with pytest.raises(UploadGone, match=r"x\.warc is not on"):
            FILES.path(upload, "x.warc")


def test_a_disk_that_does_not_take_it(home: Path) -> None:
    (home / "imports").write_text("a file where the folder should be")
    with pytest.raises(UploadNotKept, match="could not be kept"):
        FILES.keep(io.BytesIO(b"x"))
