from __future__ import annotations

from datetime import timedelta
from urllib.parse import urlencode

import pytest

from ronda.demo import DemoClock, DemoServer, DemoWorld
from tests.demo.conftest import Fetched, fetch


def get(server: DemoServer, resource: str, /, **query: object) -> Fetched:
    return fetch(f"{server.index_url}api/{resource}?{urlencode(query)}")


def test_the_index_shows_every_site(world: DemoWorld, server: DemoServer) -> None:
    page = fetch(server.index_url)
    assert page.headers["Content-Type"].startswith("text/html")
    for site in world.sites:
        assert f'href="{server.base_url(site)}"' in page.text
    assert fetch(server.index_url + "index.css").status == 200


def test_sites_as_json(world: DemoWorld, server: DemoServer) -> None:
    answer = get(server, "sites").json()
    assert [row["name"] for row in answer["sites"]] == [site.name for site in world.sites]
    assert answer["sites"][0]["pages"] == [page.path for page in world.pages("litoral")]
    assert answer["wiki"]["api_url"] == server.wiki_api_url


def test_the_schedule_is_the_ground_truth(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    since, until = world.epoch + timedelta(days=10), world.epoch + timedelta(days=20)
    query = {"since": since.isoformat(), "until": until.isoformat()}
    answer = get(server, "changes", **query).json()
    truth = [(site.name, change) for site in world.sites for change in world.changes(site, since, until)]
    assert answer["total"] == len(truth)
    assert answer["is_complete"]
    assert sorted((row["site"], row["at"], row["path"]) for row in answer["changes"]) == sorted(
        (name, change.at.isoformat(), change.path) for name, change in truth
    )
    one = get(server, "changes", site="boreal", path="/", limit=2, **query).json()
    assert {row["path"] for row in one["changes"]} == {"/"}
    assert not one["is_complete"]
    later = get(server, "changes", site="boreal").json()["changes"]
    assert later[-1]["at"] <= clock.now().isoformat()


def test_the_clock_is_moved_over_http(clock: DemoClock, server: DemoServer) -> None:
    def post(body: bytes) -> Fetched:
        return fetch(server.index_url + "api/clock", "POST", body)

    before = clock.now()
    assert post(b'{"advance_seconds": 3600}').json()["now"] == (before + timedelta(hours=1)).isoformat()
    assert post(b'{"now": "2025-05-01T00:00:00Z", "speed": 0}').json()["now"] == "2025-05-01T00:00:00+00:00"
    post(b'{"speed": 10}')
    assert clock.speed == 10


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{",
        b'{"speed": -1}',
        b'{"speed": "fast"}',
        b'{"speed": true}',
        b'{"advance_seconds": 1e12}',
        b'{"speed": 5, "now": "soon"}',
        b'{"now": null}',
    ],
)
def test_a_bad_move_names_the_field_and_changes_nothing(
    body: bytes, clock: DemoClock, server: DemoServer
) -> None:
    before = clock.now()
    answer = fetch(server.index_url + "api/clock", "POST", body)
    assert answer.status == 400
    assert answer.headers["Content-Type"].startswith("application/problem+json")
    assert "Parameter" in answer.json()["detail"]
    assert (clock.now(), clock.speed) == (before, 0)


def test_bad_questions_are_explained(server: DemoServer) -> None:
    assert get(server, "changes", site="nowhere").status == 404
    assert "since" in get(server, "changes", since="soon").json()["detail"]
    for limit in ("0", "-1", "many", "9" * 30):
        assert "limit" in get(server, "changes", limit=limit).json()["detail"]
    assert get(server, "nothing").status == 404
    assert fetch(server.index_url + "api/sites", "POST", b"").status == 404


def test_the_access_log_is_read_and_cleared(server: DemoServer) -> None:
    fetch(server.base_url("boreal"))
    fetch(server.base_url("maproom"))
    server.access_log.wait_until_idle()
    assert [row["site"] for row in get(server, "access-log").json()["entries"]] == ["boreal", "maproom"]
    assert len(get(server, "access-log", site="boreal").json()["entries"]) == 1
    fetch(server.index_url + "api/access-log", "DELETE")
    assert get(server, "access-log").json()["entries"] == []
