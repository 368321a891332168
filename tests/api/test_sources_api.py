"""Sources, versions and collections through the API, as programs use it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.accounts.services import create_token
from ronda.rounds.models import Removal, Source, VersionScore
from tests.people import person_with
from tests.rounds.sources import SITE, captured, followed, own_archive

pytestmark = pytest.mark.django_db


class Caller:
    def __init__(self, person: Person) -> None:
        _, secret = create_token(actor=person, name="test")
        self.client = Client(headers={"Authorization": f"Bearer {secret}"})

    def __call__(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        is_text = isinstance(body, str)
        response = self.client.generic(
            method,
            f"/api/v1{path}",
            body if is_text else json.dumps(body) if body is not None else "",
            content_type="text/csv" if is_text else "application/json",
        )
        raw = response.getvalue() if response.streaming else response.content
        is_json = raw and "json" in response.headers.get("Content-Type", "")
        return response.status_code, json.loads(raw) if is_json else raw.decode()


@pytest.fixture(autouse=True)
def _own_files(db: None, tmp_path: Path) -> Iterator[None]:
    with own_archive(tmp_path):
        yield


@pytest.fixture
def ana() -> Person:
    return person_with(Role.SUBSCRIBER)


@pytest.fixture
def call(ana: Person) -> Caller:
    return Caller(ana)


def test_a_source_from_following_to_deleting(call: Caller) -> None:
    status, made = call(
        "POST",
        "/sources",
        {
            "url": SITE,
            "collection": "scientific",
            "topic": 301,
            "scope": "page",
            "every": "12h",
            "tags": ["a"],
        },
    )
    assert (status, made["every"], made["versions"], made["state"]) == (201, "12h", 0, "active")
    address = f"/sources/{made['id']}"
    status, changed = call("PATCH", address, {"title": "Museum", "every": "auto", "topic": None})
    assert status == 200
    assert (changed["title"], changed["every"], changed["topic"]) == ("Museum", "auto", None)
    assert (changed["scope"], changed["tags"], changed["url"]) == ("page", ["a"], SITE)
    assert call("POST", f"{address}/pause")[1]["state"] == "paused"
    assert call("POST", f"{address}/resume")[1]["state"] == "active"
    status, visit = call("POST", f"{address}/visit")
    assert (status, visit["cause"], visit["outcome"], visit["version"]) == (202, "hand", "", None)
    status, whole = call("GET", f"/visits/{visit['id']}")
    assert (status, whole["pages"]["queued"], whole["state"]) == (200, 0, "probing")
    assert call("DELETE", f"{address}/visit")[1]["is_to_be_cancelled"] is True
    assert call("GET", f"{address}/visits")[1]["total"] == 1
    assert call("DELETE", address)[0] == 204
    assert call("GET", address)[1]["state"] == "ended"
    assert call("POST", f"{address}/visit")[0] == 409


def test_errors_name_the_field_and_change_nothing(call: Caller) -> None:
    for body, field in (
        ({"url": "ftp://x"}, "url"),
        ({"url": SITE, "every": "yearly"}, "body.every"),
        ({"url": SITE, "collection": "nowhere"}, "collection"),
        ({"url": SITE, "topic": 999}, "topic"),
        ({"url": SITE, "colour": "red"}, "body.colour"),
    ):
        status, problem = call("POST", "/sources", body)
        assert (status, problem["errors"][0]["field"]) == (422, field)
    assert not Source.objects.exists()
    call("POST", "/sources", {"url": SITE})
    status, problem = call("POST", "/sources", {"url": SITE})
    assert (status, "Cultural already" in problem["detail"]) == (409, True)


def test_lists_are_filtered_sorted_and_paged(call: Caller, ana: Person) -> None:
    for number in range(3):
        followed(ana, f"https://{number}.example/", tags=("even",) if number % 2 == 0 else ())
    status, found = call("GET", "/sources?tag=even&sort=-url&page_size=1")
    assert (status, found["total"], found["items"][0]["url"]) == (200, 2, "https://2.example/")
    assert call("GET", "/sources?url=https://1.example")[1]["total"] == 1
    assert call("GET", "/sources?url=nonsense")[0] == 422
    assert call("GET", "/sources?sort=colour")[0] == 422


def test_versions_and_their_pages(call: Caller, ana: Person) -> None:
    source = followed(ana)
    version = captured(source)
    assert call("GET", f"/sources/{source.pk}/versions")[1]["items"][0]["id"] == str(version.pk)
    status, pages = call("GET", f"/versions/{version.pk}/pages?sort=url")
    assert (status, pages["total"]) == (200, 3)
    first, _, gone = pages["items"]
    assert (first["size_bytes"], first["stored_bytes"]) == (4000, 1500), "of the page, and of its records"
    assert (first["status"], first["type"], first["is_unchanged"]) == (
        200,
        "text/html",
        False,
    )
    assert (gone["state"], gone["reason"], gone["capture"]) == ("failed", "dns", None)
    assert call("POST", f"/versions/{version.pk}/pin", {})[1]["is_pinned"] is True
    assert call("POST", f"/versions/{version.pk}/forget", {"because": "private"})[0] == 409
    assert call("POST", f"/versions/{version.pk}/pin", {"is_pinned": False})[1]["is_pinned"] is False
    assert call("POST", f"/versions/{version.pk}/forget", {"because": "private"})[0] == 204
    assert call("GET", f"/versions/{version.pk}")[0] == 404
    assert call("GET", f"/sources/{source.pk}")[1]["versions"] == 0


def test_deleting_with_versions_needs_a_reason(call: Caller, ana: Person) -> None:
    source = followed(ana)
    captured(source)
    assert call("DELETE", f"/sources/{source.pk}?versions=forget")[0] == 422
    assert call("DELETE", f"/sources/{source.pk}?versions=forget&because=asked")[0] == 204
    assert call("GET", f"/sources/{source.pk}")[0] == 404
    assert Removal.objects.get().because == "asked"


def test_lists_in_and_out(call: Caller) -> None:
    status, report = call("POST", "/sources/import", "url,every\nhttps://a.example/,1d\nftp://b/,\n")
    assert (status, report["taken"], report["refused"]) == (200, 1, 1)
    assert report["lines"][1]["line"] == 3
    assert "http" in report["lines"][1]["refused_because"]
    assert call("POST", "/sources/import", "nothing")[0] == 422


def test_many_at_once(call: Caller, ana: Person) -> None:
    mine = followed(ana)
    theirs = followed(person_with(Role.SUBSCRIBER, email="b@example.org"), "https://b.example/")
    body = {"sources": [str(mine.pk), str(theirs.pk)], "action": "move", "collection": "scientific"}
    status, done = call("POST", "/sources/actions", body)
    assert (status, done[0]["refused_because"], "owner" in done[1]["refused_because"]) == (200, None, True)


def test_collections_are_the_directors(call: Caller) -> None:
    directs = Caller(person_with(Role.DIRECTOR, email="d@example.org"))
    body = {"slug": "press", "name": "Press", "is_public": False}
    assert call("POST", "/collections", body)[0] == 403
    assert directs("POST", "/collections", body)[0] == 201
    assert directs("POST", "/collections", body)[0] == 409
    assert call("GET", "/collections/press")[0] == 404
    status, person = directs("POST", "/collections/press/people", {"email": "ana@example.org"})
    assert status == 201
    assert call("GET", "/collections/press")[1]["name"] == "Press"
    assert call("GET", "/collections/press/people")[0] == 403
    assert [one["email"] for one in directs("GET", "/collections/press/people")[1]] == ["ana@example.org"]
    assert directs("DELETE", f"/collections/press/people/{person['id']}")[0] == 204
    assert call("GET", "/collections/press")[0] == 404
    assert directs("PATCH", "/collections/press", {"is_public": True})[1]["name"] == "Press"
    assert call("GET", "/collections")[1]["total"] == 5
    assert directs("POST", "/topics", {"code": 400, "name": "Music"})[0] == 201
    assert call("POST", "/topics", {"code": 401, "name": "More"})[0] == 403
    assert call("GET", "/topics?sort=-code")[1]["items"][0] == {"code": 400, "name": "Music"}


def test_others_see_nothing_of_it() -> None:
    call = Caller(person_with(Role.CONTRIBUTOR, email="c@example.org"))
    for path in ("/sources", "/collections", "/topics", "/sources/export.csv"):
        assert call("GET", path)[0] == 403, path


def test_noise_and_scores(call: Caller, ana: Person) -> None:
    source = followed(ana, threshold=0.25)
    captured(source)
    assert call("GET", f"/sources/{source.pk}")[1]["threshold"] == 0.25
    assert call("PATCH", f"/sources/{source.pk}", {"threshold": None})[1]["threshold"] is None
    assert call("PATCH", f"/sources/{source.pk}", {"threshold": 2})[0] == 422
    address = f"/sources/{source.pk}/noise"
    assert call("GET", address)[1]["items"] == []
    status, made = call("POST", address, {"kind": "selector", "where": "footer > p.clock"})
    assert (status, made["state"], made["is_in_force"]) == (201, "hand", True)
    assert made["changed_by"] == str(ana)
    assert call("POST", address, {"kind": "pattern", "where": "("})[0] == 422
    assert call("POST", address, {"kind": "magic", "where": "x"})[0] == 422
    assert call("PATCH", f"{address}/{made['id']}", {"is_in_force": False})[1]["state"] == "undone"
    assert call("PATCH", f"{address}/{made['id']}", {"is_in_force": True})[1]["state"] == "hand"
    assert call("PATCH", f"{address}/99999", {"is_in_force": True})[0] == 404
    assert [row["id"] for row in call("GET", address)[1]["items"]] == [made["id"]]
    version = captured(source)
    assert call("GET", f"/versions/{version.pk}")[1]["score"] is None
    VersionScore.objects.create(version=version, score=0.5, content=1, is_important=True, mass_pages=3)
    told = call("GET", f"/sources/{source.pk}/versions")[1]["items"][0]["score"]
    assert (told["total"], told["content"], told["is_important"], told["mass_pages"]) == (0.5, 1, True, 3)
    visit = call("GET", f"/sources/{source.pk}/visits")[1]["items"][0]
    assert (visit["pages_bytes"], visit["pages_meaning"]) == (0, 0)
