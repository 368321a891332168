"""Files of Heritrix and Browsertrix come in whole: captures are found and replayed, everything else is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ronda.accounts.models import Person
from ronda.archive import cdx
from ronda.archive.cdx import CdxQuery
from ronda.archive.extracting import Extractor
from ronda.archive.file_jobs import REINDEX, VERIFY
from ronda.archive.models import Capture, Collection
from ronda.archive.queries import captures_in
from ronda.archive.reading import payload
from ronda.archive.search import SearchWanted, search
from ronda.archive.texts import read_due_texts
from tests.archive.filling import whole_index
from tests.archive.foreign_files import IMAGE, PAGE, browsertrix, heritrix
from tests.archive.test_importing import actor, assert_clean, imported
from tests.archive.test_verifying import result_of

__all__ = ["actor"]

pytestmark = pytest.mark.django_db(transaction=True)


def index_of(person: Person, url: str) -> list[dict[str, str]]:
    """As pywb is told it."""
    query = CdxQuery(url=url, is_resolving=True)
    lines = b"".join(cdx.lines(captures_in(person, "cultural"), query)).decode().splitlines()
    return [json.loads(line.split(" ", 2)[2]) for line in lines]


def assert_kept_well(person: Person, data: bytes, home: Path) -> None:
    """Checked, the same again from the files alone, and nothing new when it comes again."""
    assert result_of(VERIFY)["problems"] == []
    before = whole_index()
    assert result_of(REINDEX)["dropped"] == 0
    assert whole_index() == before
    Capture.objects.exclude(refers_to=None).delete()
    Capture.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before
    assert imported(person, data)["taken"] == 0
    with Extractor() as extractor:
        read_due_texts(extractor)
    assert search(actor=person, wanted=SearchWanted(words="canción")).total == 1


def test_heritrix(actor: Person, archive_home: Path) -> None:
    data = heritrix()
    report = imported(actor, data, "WEB-1.warc.gz")
    assert (report["taken"], report["left_out"], report["broken_because"]) == (3, 0, "")
    kinds = assert_clean(*(archive_home / "archive").glob("*.warc.gz"))
    # The lookup is a response record, too; one warcinfo and one note are ours.
    assert kinds == {"warcinfo": 2, "response": 3, "revisit": 1, "request": 3, "metadata": 4}
    first, later = Capture.objects.filter(url="http://site.example/").order_by("fetched_at")
    assert (later.refers_to, later.status, later.mime) == (first, 200, "text/html")
    assert payload(later, 1000) == payload(first, 1000) == PAGE
    assert first.length > first.response_length, "its request stands behind it"
    assert first.address == "192.0.2.7"
    assert payload(Capture.objects.get(mime="image/png"), 10_000) == IMAGE
    assert not Capture.objects.filter(url__startswith="dns:").exists()
    old, again = index_of(actor, "http://site.example/")
    assert (again["orig.filename"], again["orig.offset"]) == (old["filename"], old["offset"])
    assert_kept_well(actor, data, archive_home)


def test_browsertrix(actor: Person, archive_home: Path) -> None:
    data = browsertrix()
    report = imported(actor, data, "rec-0.warc.gz")
    assert (report["taken"], report["left_out"], report["broken_because"]) == (3, 0, "")
    kinds = assert_clean(*(archive_home / "archive").glob("*.warc.gz"))
    assert kinds == {"warcinfo": 2, "response": 2, "revisit": 1, "request": 3, "resource": 4, "metadata": 1}
    found = {capture.url: capture for capture in Capture.objects.all()}
    assert set(found) == {
        "https://site.example/",
        "https://site.example/i.png",
        "https://site.example/i.png?again",
    }, "pages, texts and screenshots of the crawler are kept, and no captures"
    assert payload(found["https://site.example/"], 1000) == PAGE
    again = found["https://site.example/i.png?again"]
    assert again.refers_to == found["https://site.example/i.png"]
    assert payload(again, 10_000) == IMAGE
    assert found["https://site.example/"].fetched_at.microsecond == 123_000
    assert_kept_well(actor, data, archive_home)


def test_both_into_one_collection(actor: Person, archive_home: Path) -> None:
    """Neither knows of the other: the same page by http and https are two, and found by one key."""
    imported(actor, heritrix())
    imported(actor, browsertrix())
    assert Capture.objects.count() == 6
    assert [row["status"] for row in index_of(actor, "site.example")] == ["200"] * 3
    assert Collection.objects.get(slug="cultural").capture_set.count() == 6
    assert result_of(VERIFY)["problems"] == []
