"""The traps: each does what a crawler has to survive."""

from __future__ import annotations

import http.client
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import pytest

from ronda.demo import DemoServer, DemoWorld
from ronda.demo.origins import Origins
from ronda.demo.pages import PageRenderer
from ronda.demo.quirks import QuirkKeeper
from tests.demo.conftest import fetch


def test_the_calendar_never_ends(server: DemoServer) -> None:
    base, path, seen = server.base_url("coral").rstrip("/"), "/calendar/2025/01", set()
    assert f'href="{path}"' in fetch(base + "/").text
    for _ in range(40):
        assert path not in seen
        seen.add(path)
        answer = fetch(base + path)
        assert answer.status == 200
        path = re.findall(r'href="(/calendar/\d{4}/\d\d)"', answer.text)[-1]
    assert path == "/calendar/2028/05"
    assert fetch(base + "/calendar/2025/13").status == 404


def test_redirects_inside_outside_and_in_a_ring(world: DemoWorld, server: DemoServer) -> None:
    moved = fetch(server.base_url("northfield") + "old-home")
    assert (moved.status, moved.headers["Location"]) == (301, "/")
    away = fetch(server.base_url("birdsong") + "partner")
    assert away.status == 302
    assert away.headers["Location"] in {
        server.base_url(site) for site in world.sites if site.name != "birdsong"
    }
    assert fetch(away.headers["Location"]).status == 200
    ring = server.base_url("registro")
    assert fetch(ring + "ring/1").headers["Location"] == "/ring/2"
    assert fetch(ring + "ring/2").headers["Location"] == "/ring/1"


def test_a_hurried_client_gets_429_and_a_patient_one_does_not(world: DemoWorld) -> None:
    now = [50.0]
    origins = Origins(8100)
    keeper = QuirkKeeper(world, PageRenderer(world, origins), origins, monotonic=lambda: now[0])
    shop = world.site("te-y-hierbas")
    assert keeper.reply(shop, "/") is None
    now[0] += 0.5
    refused = keeper.reply(shop, "/")
    assert refused is not None
    assert (refused.status, refused.headers["Retry-After"]) == (429, "2")
    now[0] += 2
    assert keeper.reply(shop, "/") is None


def test_the_busy_site_says_so_over_http_but_never_for_robots(server: DemoServer) -> None:
    base = server.base_url("te-y-hierbas")
    answers = [fetch(base) for _ in range(3)]
    assert answers[0].status == 200
    assert 429 in [answer.status for answer in answers]
    assert fetch(base + "robots.txt").status == 200


def test_the_overloaded_site_fails_now_and_then_with_a_date(server: DemoServer) -> None:
    answers = [fetch(server.base_url("radio-works")) for _ in range(8)]
    assert [answer.status for answer in answers] == [200, 200, 200, 503] * 2
    retry_at = parsedate_to_datetime(answers[3].headers["Retry-After"])
    assert abs((retry_at - datetime.now(UTC)).total_seconds()) < 60


def test_broken_pages(server: DemoServer) -> None:
    assert fetch(server.base_url("water-board") + "status").status == 500
    with pytest.raises(http.client.IncompleteRead):
        fetch(server.base_url("soundarchive") + "download")
    assert fetch(server.base_url("soundarchive") + "download", "HEAD").headers["Content-Length"] == "20000"
    assert fetch(server.base_url("soundarchive")).status == 200


def test_missing_pages_are_404_except_where_they_pretend(server: DemoServer) -> None:
    for path in ("nothing", "stories/0", "stories/999999", "stories/x", "assets/photo-9.png"):
        assert fetch(server.base_url("slow-train") + path).status == 404
    soft = fetch(server.base_url("pan-y-libros") + "nothing")
    assert soft.status == 200
    assert "Página no encontrada" in soft.text
