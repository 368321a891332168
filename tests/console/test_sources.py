"""What people do with sources in the console, as a browser sends it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from unittest.mock import ANY

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Collection
from ronda.console.calendars import WEEKS, calendar_of
from ronda.rounds import versions
from ronda.rounds.models import Source, SourceState, VisitOutcome
from ronda.rounds.statistics import Totals, totals_of
from tests.rounds.sources import SITE, captured, followed, own_archive, visited

FORM = {
    "url": SITE, "collection": "cultural", "scope": "host", "every": "auto", "depth": 3, "max_pages": 1000,
    "max_bytes": 1024, "max_seconds": 360,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _own_files(db: None, tmp_path: Path) -> Iterator[None]:
    with own_archive(tmp_path):
        yield


@pytest.fixture
def ana(make_person: Callable[..., Person]) -> Person:
    return make_person("ana@example.org", Role.SUBSCRIBER)


@pytest.fixture
def hers(ana: Person, browser_of: Callable[..., Client]) -> Client:
    return browser_of(ana)


def test_two_people_in_one_form(
    hers: Client, make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    source = followed(Person.objects.get(email="ana@example.org"))
    address = f"/sources/{source.pk}/edit"
    dora = make_person("dora@example.org", Role.DIRECTOR)
    directs = browser_of(dora)
    assert 'name="edition" value="0"' in hers.get(address).text
    saved = directs.post(
        address, {**FORM, "notes": "Ask before moving it.", "edition": 0, "owner": "ana@example.org"}
    )
    assert saved.status_code == 302
    late = hers.post(address, {**FORM, "title": "Museum", "edition": 0})
    assert late.status_code == 409
    assert "Somebody else saved this source" in late.text
    assert "Saved now: Ask before moving it." in late.text
    assert 'name="edition" value="1"' in late.text, "what is saved next is saved knowingly"
    source.refresh_from_db()
    assert (source.title, source.notes) == ("", "Ask before moving it.")
    both = {**FORM, "title": "Museum", "notes": "Ask before moving it.", "edition": 1}
    assert hers.post(address, both).status_code == 302
    source.refresh_from_db()
    assert (source.title, source.notes) == ("Museum", "Ask before moving it.")


def test_owner_is_changed_by_directors(
    hers: Client, make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    source = followed(Person.objects.get(email="ana@example.org"))
    address = f"/sources/{source.pk}/edit"
    directs = browser_of(make_person("dora@example.org", Role.DIRECTOR))
    eva = make_person("eva@example.org", Role.SUBSCRIBER)
    assert 'name="owner"' not in hers.get(address).text
    assert hers.post(address, {**FORM, "owner": "eva@example.org"}).status_code == 302
    source.refresh_from_db()
    assert source.owner != eva, "owners do not give their sources away"
    assert directs.post(address, {**FORM, "owner": "nobody@example.org"}).status_code == 422
    assert directs.post(address, {**FORM, "owner": "EVA@example.org"}).status_code == 302
    source.refresh_from_db()
    assert source.owner == eva
    patched = directs.patch(
        f"/api/v1/sources/{source.pk}", {"owner": "ana@example.org"}, content_type="application/json"
    )
    assert patched.status_code == 200
    source.refresh_from_db()
    assert source.owner is not None
    assert (source.owner.email, source.title) == ("ana@example.org", "")


def test_forgotten_versions_stay_on_record(hers: Client, ana: Person) -> None:
    source = followed(ana)
    version = captured(source)
    versions.forget(actor=ana, version_id=version.pk, because="A name was in it.")
    gone = hers.get(f"/versions/{version.pk}")
    assert (gone.status_code, "A name was in it." in gone.text, str(ana) in gone.text) == (410, True, True)
    for page in (f"/sources/{source.pk}/versions", f"/collections/{source.collection.slug}"):
        assert "A name was in it." in hers.get(page).text
    told = hers.get("/api/v1/versions/forgotten", {"source": str(source.pk)}).json()["items"]
    assert [(one["id"], one["because"], one["forgotten_by"]) for one in told] == [
        (str(version.pk), "A name was in it.", str(ana))
    ]


def test_follow_edit_pause_resume(hers: Client) -> None:
    wrong = hers.post("/sources/new", {**FORM, "url": "http://10.0.0.1/", "every": "soon"})
    assert wrong.status_code == 422
    assert "Write how often as" in wrong.text
    made = hers.post("/sources/new", {**FORM, "tags": "a, b", "topic": "301", "every": "2d"})
    source = Source.objects.get()
    assert made.headers["Location"] == f"/sources/{source.pk}"
    assert (source.tags, source.topic_id, source.every_seconds) == (["a", "b"], 301, 172_800)
    again = hers.post("/sources/new", FORM)
    assert (again.status_code, str(source.pk) in again.text) == (409, True)
    Source.objects.update(max_bytes=5000)
    hers.post(f"/sources/{source.pk}/edit", {**FORM, "title": "Museum", "max_bytes": 1})
    source.refresh_from_db()
    assert (source.title, source.every_seconds, source.tags) == ("Museum", None, [])
    assert source.max_bytes == 5000, "what the form shows rounded and nobody changed stays"
    hers.post(f"/sources/{source.pk}/pause")
    assert Source.objects.get().state == SourceState.PAUSED
    hers.post(f"/sources/{source.pk}/resume")
    assert Source.objects.get().state == SourceState.ACTIVE


def test_visit_now_watch_and_cancel(hers: Client, ana: Person) -> None:
    source = followed(ana)
    assert "The visit begins" in hers.post(f"/sources/{source.pk}/visit", follow=True).text
    visit = source.visits.get()
    page = hers.get(f"/sources/{source.pk}").text
    assert "A visit is under way" in page
    assert 'hx-trigger="every 1500ms"' in hers.get(f"/visits/{visit.pk}").text
    assert "being cancelled" in hers.post(f"/sources/{source.pk}/cancel", follow=True).text
    visit.refresh_from_db()
    assert visit.is_to_be_cancelled


def test_many_are_done_at_once_and_told_of(
    hers: Client, ana: Person, make_person: Callable[..., Person]
) -> None:
    mine = followed(ana)
    theirs = followed(make_person("ben@example.org", Role.SUBSCRIBER), "https://b.example/")
    both = {"source": [str(mine.pk), str(theirs.pk)]}
    page = hers.post("/sources/act", {**both, "action": "pause"}, follow=True).text
    assert "Done for 1 source." in page
    assert "Only its owner" in page
    back = hers.post("/sources/act", {**both, "action": "resume", "back": "tag=x&state=paused"})
    assert back.headers["Location"] == "/sources?tag=x&state=paused", "the list stays as narrow as it was"
    hers.post("/sources/act", {**both, "action": "move", "collection": "scientific"})
    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert (mine.collection.slug, theirs.collection.slug) == ("scientific", "cultural")
    assert "Tick the sources first." in hers.post("/sources/act", {"action": "pause"}, follow=True).text
    asked = hers.post("/sources/act", {**both, "action": "delete"}).text
    assert (str(mine.pk) in asked, str(theirs.pk) in asked) == (True, False)


def test_deleting_asks_what_becomes_of_what_was_kept(hers: Client, ana: Person) -> None:
    source = followed(ana)
    captured(source)
    assert hers.get(f"/sources/delete?source={source.pk}").status_code == 200
    unsaid = hers.post("/sources/delete", {"source": source.pk, "versions": "forget"})
    assert (unsaid.status_code, "Say why." in unsaid.text) == (422, True)
    hers.post("/sources/delete", {"source": source.pk, "versions": "keep"})
    assert Source.objects.get().state == SourceState.ENDED
    hers.post("/sources/delete", {"source": source.pk, "versions": "forget", "because": "asked"})
    assert not Source.objects.exists()


def test_lists_are_imported_with_a_report(hers: Client) -> None:
    file = SimpleUploadedFile("list.csv", b"url\nhttps://a.example/\nftp://b\n", "text/csv")
    report = hers.post("/sources/import", {"file": file})
    assert Source.objects.get().url == "https://a.example/"
    assert "ftp://b" in report.text
    assert hers.post("/sources/import", {"file": SimpleUploadedFile("x", b"x")}).status_code == 422


def test_the_list_is_filtered(hers: Client, ana: Person) -> None:
    followed(ana, title="Museum", tags=("press",))
    followed(ana, "https://b.example/", topic=301)
    for query, shown, hidden in (
        ("tag=press", "Museum", "b.example"),
        ("topic=301", "b.example", "Museum"),
        ("search=museum", "Museum", "b.example"),
    ):
        page = hers.get(f"/sources?{query}", headers={"HX-Request": "true"}).text
        assert (shown in page, hidden in page) == (True, False), query
    assert "No source matches." in hers.get("/sources?state=ended").text
    assert "Museum" in hers.get("/sources?topic=nonsense&tag=none").text


def test_a_version_its_pages_and_its_end(hers: Client, ana: Person) -> None:
    source = followed(ana)
    first, second = captured(source), captured(source, paths=("", "b"))
    page = hers.get(f"/versions/{second.pk}").text
    assert f"/versions/{first.pk}" in page
    assert "the name was not found" not in page, "what was captured comes first"
    assert "the name was not found" in hers.get(f"/versions/{second.pk}?kind=").text
    assert second.warc_files[0] in page
    only = hers.get(f"/versions/{second.pk}?kind=unchanged").text
    assert (f"{SITE}b" in only, f"{SITE}gone" in only) == (True, False)
    hers.post(f"/versions/{first.pk}/pin")
    refused = hers.post(f"/versions/{first.pk}/forget", {"because": "x"})
    assert (refused.status_code, "Unpin it first" in refused.text) == (409, True)
    hers.post(f"/versions/{first.pk}/unpin")
    hers.post(f"/versions/{first.pk}/forget", {"because": "private"})
    first.refresh_from_db()
    assert (first.forgotten_because, first.forgotten_by) == ("private", ana)
    assert hers.get(f"/versions/{first.pk}").status_code == 410


def test_the_year_of_a_source_is_drawn(hers: Client, ana: Person) -> None:
    source = followed(ana)
    captured(source)
    visited(source, VisitOutcome.DOWN, timezone.now() - timedelta(days=9))
    page = hers.get(f"/sources/{source.pk}").text
    assert 'class="kept-1"' in page
    assert 'class="down"' in page
    assert "Stored by version: 1.5\xa0KB in all" in page
    drawn = calendar_of({date(2026, 3, 1): "seen"}, date(2026, 3, 4))
    assert (drawn.cells[0].day, drawn.cells[-1].day) == (date(2025, 3, 3), date(2026, 3, 4))
    assert drawn.cells[0].day.weekday() == 0
    assert [cell.day for cell in drawn.cells if cell.kind] == [date(2026, 3, 1)]
    assert len({cell.x for cell in drawn.cells}) == WEEKS


def test_directors_keep_collections_and_topics(
    make_person: Callable[..., Person], browser_of: Callable[..., Client], hers: Client, ana: Person
) -> None:
    theirs = browser_of(make_person("d@example.org", Role.DIRECTOR))
    made = theirs.post("/collections/new", {"name": "Press", "slug": "press"})
    assert made.headers["Location"] == "/collections/press"
    assert Collection.objects.get(slug="press").is_public is False
    assert theirs.post("/collections/new", {"name": "Press", "slug": "press"}).status_code == 409
    assert hers.get("/collections/press").status_code == 404
    assert "Nobody" in theirs.post("/collections/press/people", {"email": "x@x.example"}, follow=True).text
    theirs.post("/collections/press/people", {"email": ana.email})
    assert hers.get("/collections/press").status_code == 200
    theirs.post(f"/collections/press/people/{ana.pk}/remove")
    assert hers.get("/collections/press").status_code == 404
    theirs.post("/collections/press/edit", {"name": "The press", "is_public": "on"})
    assert "The press" in hers.get("/collections/press").text
    source = followed(ana, collection="press")
    captured(source)
    totals = Totals(
        sources=1, active=1, versions=1, documents=2, bytes_stored=1500, bytes_saved=1500, latest_at=ANY
    )
    assert totals_of(source.collection) == totals
    theirs.post("/topics", {"code": 400, "name": "Music"})
    assert "Music" in hers.get("/topics").text
    assert hers.post("/topics", {"code": 401, "name": "More"}).status_code == 403
