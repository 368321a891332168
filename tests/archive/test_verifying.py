"""`ronda archive verify` finds what is not as it should be, and says where; `reindex` gives the same index again."""

from __future__ import annotations

import os
import random
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.checker import Checker

from ronda.accounts.roles import Role
from ronda.archive import services
from ronda.archive.file_jobs import REINDEX, VERIFY
from ronda.archive.models import Capture, Collection, WarcFile
from ronda.archive.moves import move_captures
from ronda.archive.repair import close_abandoned_files
from ronda.archive.warc_writer import warcinfo
from ronda.archive.withdrawals import forget_captures, void_captures
from ronda.errors import Forbidden
from ronda.jobs.kinds import JobKind
from ronda.jobs.models import Job
from ronda.jobs.services import enqueue, run, start_job
from tests.archive.filling import FIRST, NODE, Page, a_site, note_of, records_of, whole_index
from tests.people import person_with
from tests.warc_files import SPOILT

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def folder(archive_home: Path) -> Path:
    return archive_home / "archive"


def result_of(kind: JobKind) -> dict[str, Any]:
    job = enqueue(kind=kind, owner=None, arguments={})
    run(job_id=job.pk, worker="test", stopping=threading.Event())
    ended = Job.objects.get(pk=job.pk)
    assert ended.state == "succeeded", ended.error
    assert ended.result is not None
    return ended.result


def only_file(folder: Path) -> Path:
    [path] = folder.glob("*.warc.gz")
    return path


def test_clean_archive(folder: Path) -> None:
    a_site()
    result = result_of(VERIFY)
    assert result["problems"] == []
    assert result["captures"] == 8
    assert result["files"] == 1
    before = whole_index()
    assert result_of(REINDEX)["dropped"] == 0
    assert whole_index() == before


def test_index_from_files_alone(folder: Path) -> None:
    """Rows, then whole tables are lost; withdrawals hold; a second open file is in between."""
    a_site()
    services.writer().close()
    a_site(2)
    forget_captures(visit=2, because="asked to")
    first_wrong = Capture.objects.filter(visit=3).earliest("pk").pk
    void_captures(node=NODE, after=first_wrong - 1, because="lied")
    source = Capture.objects.exclude(source=None).values_list("source", flat=True).first()
    assert source
    elsewhere = Collection.objects.get(slug="technological")
    with services.writer().appending() as appending, transaction.atomic():
        move_captures(appending=appending, source=source, collection=elsewhere)
    before = whole_index()
    assert {row["voided_at"] is None for row in before} == {True, False}
    assert {row["forgotten_at"] is None for row in before} == {True, False}
    some = Capture.objects.exclude(refers_to=None).first()
    assert some
    kept_ids = {(c.file_id, c.offset): c.pk for c in Capture.objects.exclude(visit=1)}
    Capture.objects.update(refers_to=None)
    Capture.objects.filter(visit=1).delete()
    assert result_of(VERIFY)["problem_count"] > 0
    result_of(REINDEX)
    assert whole_index() == before
    assert kept_ids.items() <= {(c.file_id, c.offset): c.pk for c in Capture.objects.all()}.items()
    services.writer().close()
    Capture.objects.all().update(refers_to=None)
    Capture.objects.all().delete()
    WarcFile.objects.all().delete()
    Collection.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before
    close_abandoned_files(folder)
    assert result_of(VERIFY)["problems"] == []


@pytest.mark.parametrize("seed", range(8))
def test_a_flipped_byte_is_found(folder: Path, seed: int) -> None:
    a_site()
    path = only_file(folder)
    data = bytearray(path.read_bytes())
    chance = random.Random(seed)
    # A few bytes of a gzip head (time, system) say nothing: any other is noticed.
    where = chance.choice(list(Capture.objects.values_list("offset", flat=True))) + chance.randrange(12, 80)
    (folder / SPOILT).touch()
    data[where] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    before = whole_index()
    result = result_of(VERIFY)
    assert result["problem_count"] >= 1
    assert any(path.name in problem for problem in result["problems"])
    assert result["captures"] >= 4, "what lies behind the broken record is read all the same"
    assert result_of(REINDEX)["dropped"] == 0
    assert whole_index() == before, "what cannot be read is not known to be gone"


def test_what_differs_is_named(folder: Path) -> None:
    a_site()
    captures = list(Capture.objects.order_by("offset"))
    Capture.objects.filter(pk=captures[0].pk).update(url="http://other.example/")
    Capture.objects.filter(pk=captures[1].pk).update(digest="sha256:" + "0" * 64)
    Capture.objects.filter(pk=captures[2].pk).update(fetched_at=FIRST - timedelta(days=1))
    Capture.objects.filter(pk=captures[3].pk).update(offset=1)
    revisit = next(capture for capture in captures if capture.refers_to_id)
    Capture.objects.filter(pk=revisit.pk).update(refers_to=None)
    (folder / "stranger.warc.gz").write_bytes(b"")
    problems = "\n".join(result_of(VERIFY)["problems"])
    for words in ("another URL", "another digest", "another time", "is not in the index", "no record of it is here",
                  "target: none", "stranger.warc.gz: the index does not know it"):  # fmt: skip
        assert words in problems
    result = result_of(REINDEX)
    assert "stranger.warc.gz: it is not of Ronda's making" in result["problems"][0]
    (folder / "stranger.warc.gz").unlink()
    assert result_of(VERIFY)["problems"] == []


def test_missing_file(folder: Path) -> None:
    a_site()
    services.writer().close()
    only_file(folder).rename(folder / "aside")
    assert result_of(VERIFY)["problems"] == [f"{WarcFile.objects.get().name}: it is missing"]
    WarcFile.objects.update(machine="elsewhere")
    result = result_of(VERIFY)
    assert result["problems"] == []
    assert result["files_elsewhere"] == 1


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(back=st.integers(1, 3000))
def test_lost_bytes(folder: Path, back: int) -> None:
    """Whatever of the end the disk lost: the file ends with a whole record, the index agrees with it."""
    services.writer().close()
    Capture.objects.update(refers_to=None)
    Capture.objects.all().delete()
    WarcFile.objects.all().delete()
    for path in folder.glob("*"):
        path.unlink()
    a_site(4)
    row = WarcFile.objects.get()
    services.writer().abandon()
    path = folder / row.name
    before = whole_index()
    os.truncate(path, max(0, path.stat().st_size - back))
    close_abandoned_files(folder)
    row.refresh_from_db()
    assert row.closed_at
    assert row.size_bytes == path.stat().st_size
    assert result_of(VERIFY)["problems"] == []
    index = whole_index()
    places = {(one["file__name"], one["offset"]) for one in index}
    assert places <= {(one["file__name"], one["offset"]) for one in before}
    result_of(REINDEX)
    assert whole_index() == index
    arguments = type("Arguments", (), {"inputs": [str(path)], "verbose": False})
    assert Checker(arguments()).process_all() == 0


def test_every_cut_of_the_unacknowledged_end(folder: Path) -> None:
    """A process killed while it appended: at every byte, what was acknowledged stays, and nothing else."""
    a_site(1)
    row = WarcFile.objects.get()
    before = whole_index()
    page = Page("http://a.example/never")
    more = records_of(page) + note_of([page], "scientific", 9)
    path = folder / row.name
    services.writer().abandon()
    whole = path.read_bytes()
    for cut in range(1, len(more) + 1, 19):
        path.write_bytes(whole + more[:cut])
        WarcFile.objects.update(closed_at=None)
        close_abandoned_files(folder)
        assert path.read_bytes() == whole
    assert whole_index() == before


def test_only_directors(folder: Path) -> None:
    for kind in (VERIFY, REINDEX):
        with pytest.raises(Forbidden):
            start_job(
                actor=person_with(Role.SUBSCRIBER, email=f"{kind.name}@example.org"),
                kind=kind.name,
                arguments={},
            )


@pytest.mark.parametrize("beginning", [b"", warcinfo("ronda-1-here-7.warc.gz")])
def test_a_file_that_was_only_begun(folder: Path, beginning: bytes) -> None:
    """Its process was killed before the index knew of it."""
    a_site(1)
    stranger = folder / "ronda-1-here-7.warc.gz"
    stranger.write_bytes(beginning)
    close_abandoned_files(folder)
    assert not stranger.exists()
    assert result_of(VERIFY)["problems"] == []


def test_a_stranger_with_captures_stays(folder: Path) -> None:
    a_site(1)
    name = WarcFile.objects.get().name
    stranger = folder / "ronda-1-here-7.warc.gz"
    stranger.write_bytes((folder / name).read_bytes())
    close_abandoned_files(folder)
    assert stranger.exists()
    assert result_of(VERIFY)["problems"] == [f"{stranger.name}: the index does not know it"]


def test_files_that_are_missing_or_cannot_be_read_are_named(folder: Path) -> None:
    a_site()
    services.writer().close()
    path = only_file(folder)
    WarcFile.objects.create(name="elsewhere-1.warc.gz", machine="another")
    path.rename(folder / "kept")
    for kind in (VERIFY, REINDEX):
        told = result_of(kind)
        assert (told["problems"], told["files_elsewhere"]) == ([f"{path.name}: it is missing"], 1)
    path.mkdir()  # even root cannot read that
    stranger = folder / path.name.replace("ronda-2", "ronda-1")
    stranger.mkdir()
    assert f"{path.name}: it cannot be read: Is a directory" in result_of(VERIFY)["problems"]
    assert result_of(REINDEX)["problems"] == [
        f"{name}: it cannot be read: Is a directory" for name in (stranger.name, path.name)
    ]
    assert Capture.objects.filter(file__name=path.name).exists()
    stranger.rmdir()
    path.rmdir()
    (folder / "kept").rename(path)
    WarcFile.objects.filter(machine="another").delete()
    assert result_of(REINDEX)["problem_count"] == 0
