"""Replay through the real pywb: pages with their images and styles, revisits across files, and who is let in."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import expect

from tests.archive.pywb import needs_pywb
from tests.console.chromium import CHROMIUM, log_in_with_the_link, page_of
from tests.running import RunningRonda, run_ronda, wait_for

pytestmark = needs_pywb
ROOT = Path(__file__).parent.parent.parent
SECONDS = 60


class Filled:
    """A running Ronda with an archive, and a browser's way through its replay."""

    def __init__(self, ronda: RunningRonda, kept: dict[str, int]) -> None:
        self.ronda = ronda
        self.kept = kept
        self.cookie = ""
        self.port = ronda.replay_port

    def get(self, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.request("GET", path, headers={"Cookie": self.cookie, **headers})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def enter(self, path: str) -> None:
        """As the console does it for who is logged in: a ticket, made with the same key."""
        entrance = _in_its_place(self.ronda, ENTRANCE, path)
        self.port = self.ronda.replay_port
        parts = urlsplit(entrance)
        response, body = self.get(f"{parts.path}?{parts.query}")
        assert response.status == 302, body
        location = urlsplit(response.headers["Location"])
        assert location.path == path
        assert location.hostname == "127.0.0.1"
        self.port = location.port or 0
        assert self.port not in (0, self.ronda.replay_port, self.ronda.port), "each collection has its own"
        self.cookie = response.headers["Set-Cookie"].partition(";")[0]
        assert {"HttpOnly", "SameSite=Lax"} <= set(response.headers["Set-Cookie"].split("; "))


ENTRANCE = """
import django, sys
django.setup()
from ronda.accounts.services import ensure_administrator
from ronda.archive.replaying import entrance_url
print(entrance_url(actor=ensure_administrator(), session_key="", path=sys.argv[1]))
"""


def _in_its_place(ronda: RunningRonda, *script: str) -> str:
    """Runs Python with that Ronda's environment."""
    import os

    given = {name: value for name, value in os.environ.items() if not name.startswith("RONDA_")}
    given |= {**ronda.environment, "DJANGO_SETTINGS_MODULE": "ronda.site.settings"}
    command = [sys.executable, "-c", *script] if "\n" in script[0] else [sys.executable, "-m", *script]
    done = subprocess.run(
        command, cwd=ROOT, env=given, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, postgres: object) -> Iterator[Filled]:
    from tests.conftest import _fresh_database

    databases = _fresh_database(postgres)  # type: ignore[arg-type]
    key = "k" * 40
    ronda = RunningRonda(
        tmp_path_factory.mktemp("replay") / "home",
        environment={"RONDA_DATABASE_URL": next(databases), "RONDA_SECRET_KEY": key, "RONDA_NODES": "0"},
    )
    try:
        ronda.start()
        yield Filled(ronda, json.loads(_in_its_place(ronda, "tests.archive.fill")))
    finally:
        ronda.stop()
        next(databases, None)


@pytest.fixture
def guest(filled: Filled) -> Filled:
    return Filled(filled.ronda, filled.kept)


def test_without_a_pass_nothing_is_shown(guest: Filled) -> None:
    for path in (
        "/scientific/20260301120000/http://site.example/",
        "/",
        "/collinfo.json",
        "/scientific/cdx?url=x",
    ):
        response, body = guest.get(path)
        assert response.status == 403, path
        assert b"version" not in body
        assert f"{guest.ronda.url}/replay/open?to=".encode() in body
    assert guest.get("/_ronda/enter?ticket=forged&to=/scientific/x")[0].status == 403


def test_pages_images_styles_and_revisits(guest: Filled) -> None:
    page = "/scientific/20260301120000/http://site.example/"
    guest.enter(page)
    response, body = guest.get(page)
    assert response.status == 200, body
    assert b"The first version" in body
    policies = response.headers.get_all("Content-Security-Policy")
    assert any(f"frame-ancestors 'self' {guest.ronda.url}" in policy for policy in policies)
    assert "Set-Cookie" not in response.headers
    assert b"rgb(1, 2, 3)" in guest.get("/scientific/20260301120000cs_/http://site.example/style.css")[1]
    image = guest.get("/scientific/20260301120000im_/http://site.example/pixel.png")
    again = guest.get("/scientific/20260505120000im_/http://site.example/pixel.png")
    assert image[1] == again[1] != b""
    assert again[0].headers["Content-Type"] == "image/png"
    for path, title in (
        ("/scientific/20260305120000/http://site.example/", b"The second version"),
        ("/scientific/20260309120000/http://site.example/", b"The first version"),
        ("/scientific/20260309120000/http://site.example/copy", b"The first version"),
    ):
        response, body = guest.get(path)
        assert response.status == 200, path
        assert title in body, path
    assert guest.get("/scientific/2026/http://nowhere.example/")[0].status == 404
    assert guest.get("/static/wombat.js")[0].status == 200


def test_a_pass_opens_one_collection(guest: Filled) -> None:
    guest.enter("/scientific/2026/http://site.example/")
    secret = "/cultural/20260302120000/http://secret.example/"
    assert guest.get(secret)[0].status == 403
    for path in (
        "cdx?url=site.example",
        "%63dx?url=site.example",
        "*/http://site.example/",
        "",
        "timemap/link/http://site.example/",
    ):
        assert guest.get(f"/scientific/{path}")[0].status == 404, path
    assert guest.get("/scientific/20260302120000/http://secret.example/")[0].status == 404
    worker = guest.get("/scientific/2026js_/http://site.example/sw.js", **{"Service-Worker": "script"})
    assert worker[0].status == 403
    guest.enter(secret)
    assert b"secret" in guest.get(secret)[1]


AJAX = {"X-Requested-With": "XMLHttpRequest"}


@pytest.mark.parametrize("more", [{}, AJAX])
def test_what_pywb_says_of_itself_reaches_nobody(guest: Filled, more: dict[str, str]) -> None:
    guest.enter("/scientific/20260301120000/http://site.example/self")
    for name in ("self", "nowhere"):
        response, body = guest.get(f"/scientific/20260301120000/http://site.example/{name}", **more)
        assert response.status >= 400
        assert body.startswith(b"<!doctype html>")
        for told in (b"api_url", b"archive_paths", b"127.0.0.1", b"ywb"):
            assert told not in body, told
    response, body = guest.get("/scientific/20260301120000/http://site.example/missing", **more)
    assert response.status == 404
    assert b"No such page here" in body, "an error that was archived is shown"


def test_headers_that_are_long_or_none(guest: Filled) -> None:
    guest.enter("/scientific/20260301120000/http://site.example/far")
    response, _body = guest.get("/scientific/20260301120000/http://site.example/far")
    assert response.status == 302
    assert response.headers["Location"].endswith("f" * 30_000)
    response, body = guest.get("/scientific/20260301120000/http://site.example/broken")
    assert response.status == 502
    assert b"cannot be replayed" in body


def test_pywb_answers_nobody_but_the_guard(guest: Filled) -> None:
    page = "/scientific/20260301120000/http://site.example/"
    guest.enter(page)
    assert guest.get(page)[0].status == 200
    # One that came along is not passed on beside the guard's own.
    assert guest.get(page, **{"X-Pywb-ACL-User": "somebody"})[0].status == 200
    pywb, role = _pywb(guest), guest.ronda.tree()["replay-1"]
    assert pywb
    own, index = _ports(pywb), _ports(role) - {guest.ronda.replay_port, guest.port}
    asked = 0
    for port in own:
        for path in (
            page,
            "/scientific/20260301120000id_/http://site.example/",
            "/scientific/cdx?url=http://site.example/",
            "/scientific/index?url=http://site.example/",
            "/scientific/resource?url=http://site.example/",
        ):
            for asker in ({}, {"X-Pywb-ACL-User": "-"}):
                status, body = _asked(port, path, asker)
                asked += 1
                assert b"first version" not in body, path
                assert b"example" not in body or status != 200, path
                assert b"warc" not in body, path
    assert asked == 20, "at its own port and at the one behind it"
    settings = guest.ronda.home / "replay/config.yaml"
    assert settings.stat().st_mode & 0o077 == 0
    given = json.loads(settings.read_text())["collections"]["scientific"]["index"]["api_url"]
    address = urlsplit(given.partition("?")[0])
    assert address.port in index
    key = address.path.split("/")[1]
    assert b"site.example" in _asked(address.port or 0, f"/{key}/scientific?url=http://site.example/")[1]
    assert _asked(address.port or 0, f"/{key}/cultural?url=http://secret.example/")[0] == 404
    other = _asked(address.port or 0, f"/{key}/scientific?url=http://secret.example/&collection=cultural")
    assert b"secret" not in other[1]


def _asked(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("GET", path, headers=headers or {})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def _ports(process: psutil.Process) -> set[int]:
    return {one.laddr.port for one in process.net_connections("tcp") if one.status == psutil.CONN_LISTEN}


def _pywb(guest: Filled) -> psutil.Process | None:
    children = guest.ronda.tree()["replay-1"].children()
    return next((one for one in children if any("wayback" in word for word in one.cmdline())), None)


@pytest.mark.parametrize("which", ["pywb", "role"])
def test_killed_replay_comes_back(guest: Filled, which: str) -> None:
    page = "/scientific/20260301120000/http://site.example/"
    guest.enter(page)
    guest.get(page)

    def is_back() -> bool:
        """Behind the one address that stays."""
        try:
            guest.port = guest.ronda.replay_port
            moved = guest.get(page)[0]
            guest.port = urlsplit(moved.headers["Location"] or "").port or guest.port
            return moved.status == 307 and guest.get(page)[0].status == 200
        except OSError:
            return False

    before, role = _pywb(guest), guest.ronda.tree()["replay-1"]
    assert before
    if which == "pywb":
        before.kill()
    else:
        role.kill()
        guest.ronda.wait_for_another("replay-1", role)
        wait_for(lambda: not before.is_running(), "pywb to end with its role")
    wait_for(is_back, f"the page again after {which} was killed")
    after = _pywb(guest)
    assert after
    assert after.pid != before.pid


def test_commands(filled: Filled) -> None:
    def ronda(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_ronda(*arguments, home=filled.ronda.home, RONDA_PORT=str(filled.ronda.port))

    where = ronda("replay", "http://site.example/", "--at", "2026-03-04")
    assert where.stdout.strip() == (
        f"http://127.0.0.1:{filled.ronda.replay_port}/scientific/20260305120000/http://site.example/"
    )
    assert ronda("replay", "http://nowhere.example/").returncode == 1
    assert ronda("replay", "http://site.example/", "--at", "soon").returncode == 2

    def has_found() -> bool:
        return json.loads(ronda("search", "second version", "--json").stdout)["total"] == 1

    wait_for(has_found, "the texts to be read")
    shown = ronda("search", "version", "--url", "*.site.example")
    assert "The first version" in shown.stdout
    assert "2 pages" in shown.stdout
    assert ronda("search").returncode == 2
    _status, lines = filled.ronda.call("GET", "/search?url=*.site.example&mime=image/")
    assert [one["url"] for one in lines["items"]] == ["http://site.example/pixel.png"]


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium. Debian: apt install chromium")
def test_the_console_shows_it_in_a_frame(filled: Filled) -> None:
    with page_of(filled.ronda, width=1200, also="http://127.0.0.1:") as page:
        log_in_with_the_link(page, filled.ronda)
        page.goto(f"/replay/{filled.kept['second']}")
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("heading", name="The second version")).to_be_visible(timeout=60_000)
        expect(frame.get_by_role("heading")).to_have_css("color", "rgb(1, 2, 3)")
        assert frame.get_by_alt_text("pixel").evaluate("image => image.naturalWidth") == 1
        # The page's own script ran, and not in the console's origin.
        ran = frame.locator("html").get_attribute("data-ran")
        assert ran
        assert page.evaluate("document.documentElement.dataset.ran") is None
        page.get_by_role("link", name=re.compile("2026-03-01")).click()
        expect(page.frame_locator("iframe").get_by_role("heading", name="The first version")).to_be_visible()
