"""What somebody imported is told apart from what was fetched here, goes behind it, and can be forgotten."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from ronda.archive import cdx, timemap
from ronda.archive.cdx import CdxQuery
from ronda.archive.extracting import Extractor
from ronda.archive.file_jobs import REINDEX
from ronda.archive.models import Capture, Collection, Forgetting
from ronda.archive.queries import visible_captures
from ronda.archive.search import SearchWanted, search
from ronda.archive.services import agreed_digests
from ronda.archive.texts import read_due_texts
from tests.archive.filling import FIRST, Page, keep, whole_index
from tests.archive.test_importing import imported
from tests.archive.test_verifying import result_of
from tests.grid.warc_bodies import member, response
from tests.people import person_with

pytestmark = pytest.mark.django_db(transaction=True)

URL = "http://site.example/"
TRUE = b"<html lang=en><title>True</title><main><p>The heron stands in the shallow water today.</p></main></html>"
FALSE = b"<html lang=en><title>False</title><main><p>The heron heron heron heron is an impostor.</p></main></html>"
LATER = FIRST + timedelta(days=30)


@pytest.fixture
def director(archive_home: Path) -> Person:
    Collection.objects.get_or_create(slug="cultural", defaults={"name": "Cultural"})
    return person_with(Role.DIRECTOR, email="director@example.org")


@pytest.fixture
def pages(director: Person) -> Client:
    client = Client()
    client.force_login(director, backend=BACKEND)
    return client


def theirs(url: str = URL, at: datetime = LATER, body: bytes = FALSE) -> bytes:
    return member("response", url, "", response(200, body), WARC_Date=f"{at:%Y-%m-%dT%H:%M:%SZ}")


@pytest.fixture
def impostor(director: Person) -> Capture:
    """A page that is followed, and a file that says it became another."""
    keep(Page(URL, TRUE), collection="cultural", visit=1)
    assert imported(director, theirs())["taken"] == 1
    with Extractor() as extractor:
        while read_due_texts(extractor):
            pass
    return Capture.objects.get(node=None)


def test_what_was_fetched_here_comes_first(impostor: Capture, director: Person, pages: Client) -> None:
    for wanted in (SearchWanted(words="heron"), SearchWanted(url=URL)):
        [page] = search(actor=director, wanted=wanted).pages
        assert page.title == "True"
        assert [one.is_imported for one in page.seen] == [False, True]
    [item] = pages.get("/api/v1/search?q=heron").json()["items"]
    assert [one["is_imported"] for one in item["seen"]] == [False, True]
    found = timemap.mementos(visible_captures(director), url=URL)
    assert not timemap.nearest(found, "")[0].is_imported
    assert timemap.nearest(found, timemap.http_date(LATER))[0] == impostor
    lines = b"".join(cdx.lines(visible_captures(director), CdxQuery(url=URL))).decode().splitlines()
    assert ['"imported": "yes"' in line for line in lines] == [False, True]
    shown = pages.get(f"/replay/{impostor.pk}").content.decode()
    assert re.search(r"Imported as a file by .*director@example\.org", shown)
    assert "(imported)" in pages.get("/search?q=heron").content.decode()
    assert agreed_digests(urls=[URL], not_by=0, people=1, since=timedelta(days=10**4)) == {
        URL: Capture.objects.get(visit=1).digest
    }, "who imports vouches for nothing"


def test_times_that_cannot_be_are_left_out(director: Person) -> None:
    soon = datetime.now(UTC) + timedelta(days=3)
    dates = (datetime(1989, 12, 31, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), soon)
    report = imported(director, b"".join(theirs(f"{URL}{at.year}", at) for at in dates) + theirs())
    assert (report["taken"], report["left_out"]) == (1, 3)
    assert [problem.rpartition("its ")[2] for problem in report["problems"]] == [
        "WARC-Date is before the web",
        "WARC-Date is in the future",
        "WARC-Date is in the future",
    ]


def test_imported_captures_are_forgotten_for_a_reason(
    impostor: Capture, director: Person, pages: Client
) -> None:
    imported(director, theirs(f"{URL}a") + theirs(f"{URL}b", body=b"b") + theirs("http://other.example/"))
    where = f"/replay/{impostor.pk}/forget"
    assert "Forget this imported capture?" in pages.get(where).content.decode()
    assert pages.post(where, {"because": " "}).status_code == 422
    assert pages.post(where, {"because": "forged"}).status_code == 302
    assert not visible_captures(director).filter(pk=impostor.pk).exists()
    asked = {"collection": "cultural", "url": f"{URL}*", "because": "the whole site is"}
    answer = pages.post("/api/v1/imports/forget", asked, content_type="application/json")
    assert answer.json()["captures"] == 2, answer.json()
    again = pages.post("/api/v1/imports/forget", asked, content_type="application/json")
    assert again.status_code == 404
    kept = set(visible_captures(director).values_list("url", flat=True))
    assert kept == {URL, "http://other.example/"}, "what was fetched, and what was not meant, stays"
    recorded = pages.get("/api/v1/imports/forgotten").json()["items"]
    assert [(one["url"], one["captures"], one["because"], one["forgotten_by"]) for one in recorded] == [
        (f"{URL}*", 2, "the whole site is", "director@example.org"),
        (URL, 1, "forged", "director@example.org"),
    ]
    before = whole_index()
    Capture.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before
    assert imported(director, theirs())["taken"] == 0, "what was forgotten does not come back with its file"


def test_only_directors_forget(impostor: Capture) -> None:
    client = Client()
    client.force_login(person_with(Role.SUBSCRIBER, email="sub@example.org"), backend=BACKEND)
    asked = {"collection": "cultural", "url": URL, "because": "I do not like it"}
    assert client.post("/api/v1/imports/forget", asked, content_type="application/json").status_code == 403
    assert client.post(f"/replay/{impostor.pk}/forget", {"because": "x"}).status_code == 403
    assert not Forgetting.objects.exists()
