"""A demo site followed through its changes: three versions, each replayed as it was; the diff says what changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import log_in_with_the_link, page_of
from tests.running import PATIENCE_SECONDS, RunningRonda, free_port, run_ronda, wait_for

SITE = "harrow-tech"
PATIENCE = PATIENCE_SECONDS * 1000


@dataclass
class Demo:
    """The demo's clock stands still; it is moved from one change of the front page to the next."""

    port: int

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"http://127.77.0.1:{self.port}/api/{path}", data)) as response:
            return json.loads(response.read())

    @property
    def url(self) -> str:
        return next(str(site["url"]) for site in self.ask("sites")["sites"] if site["name"] == SITE)

    def next_change(self) -> None:
        now = datetime.fromisoformat(self.ask("clock", {"speed": 0})["now"])
        span = f"since={quote(now.isoformat())}&until={quote((now + timedelta(days=200)).isoformat())}"
        changes = self.ask(f"changes?site={SITE}&path=/&{span}")["changes"]
        first = next(change for change in changes if change["kind"] == "content")
        after = datetime.fromisoformat(first["at"]) + timedelta(seconds=1)
        self.ask("clock", {"now": after.isoformat()})

    def front_page_sentences(self) -> set[str]:
        with urlopen(self.url) as response:
            text = re.sub(r"<[^>]+>", "\n", response.read().decode())
        return {line.strip() for line in text.split("\n") if len(line) > 60}


@pytest.fixture
def demo() -> Demo:
    return Demo(free_port())


@pytest.fixture
def ronda(ronda_in: Callable[..., RunningRonda], fresh_database: str, demo: Demo) -> RunningRonda:
    running = ronda_in(
        "home", "--demo", "--workers", "1", RONDA_DATABASE_URL=fresh_database, RONDA_DEMO_PORT=str(demo.port)
    )
    running.start()
    # The demo's own sites need no rest between two pages.
    assert running.call("PUT", "/settings/delay_floor_seconds", {"value": "0"})[0] == 200
    return running


@pytest.fixture
def page(ronda: RunningRonda) -> Iterator[Page]:
    with page_of(ronda, width=1200, also="http://127.0.0.1:") as page:
        yield page


def _items(ronda: RunningRonda, path: str) -> list[dict[str, Any]]:
    status, answer = ronda.call("GET", path)
    assert status == 200, answer
    items: list[dict[str, Any]] = answer["items"]
    return items


def _visited_when_due(ronda: RunningRonda, database: str, source: str) -> dict[str, Any]:
    """Its next visit is due now; returns that visit when it has ended."""
    before = {visit["id"] for visit in _items(ronda, f"/sources/{source}/visits")}
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE rounds_source SET next_visit_at = now()")

    def ended() -> dict[str, Any] | None:
        visits = _items(ronda, f"/sources/{source}/visits")
        return next((v for v in visits if v["id"] not in before and v["state"] == "ended"), None)

    return wait_for(ended, "the visit")


def _stored(ronda: RunningRonda) -> list[tuple[str, int]]:
    return sorted((file.name, file.stat().st_size) for file in (ronda.home / "archive").iterdir())


def test_three_changes_three_versions(
    page: Page, ronda: RunningRonda, demo: Demo, fresh_database: str
) -> None:
    demo.ask("clock", {"speed": 0})
    words = ["follow", demo.url, "--collection", "educational", "--depth", "1", "--every", "1d", "--json"]
    followed = run_ronda(*words, home=ronda.home, RONDA_PORT=str(ronda.port))
    assert followed.returncode == 0, followed.stderr
    source = json.loads(followed.stdout)["id"]
    wait_for(lambda: _items(ronda, f"/sources/{source}/versions"), "the first version")
    texts = [demo.front_page_sentences()]
    for _ in range(2):
        demo.next_change()
        texts.append(demo.front_page_sentences())
        assert _visited_when_due(ronda, fresh_database, source)["outcome"] == "captured"
        before = _stored(ronda)
        assert _visited_when_due(ronda, fresh_database, source)["outcome"] == "unchanged"
        assert _stored(ronda) == before, "nothing but the row of the visit"
    versions = sorted(_items(ronda, f"/sources/{source}/versions"), key=lambda version: version["number"])
    assert [version["number"] for version in versions] == [1, 2, 3]
    log_in_with_the_link(page, ronda)
    for version, text in zip(versions, texts, strict=True):
        _looks_as_it_was(page, ronda, version["id"], demo.url, text)
    for older, newer, before_text, after_text in zip(versions, versions[1:], texts, texts[1:], strict=False):
        _diff_says_so(page, ronda, demo.url, (older, newer), (before_text, after_text))


def _looks_as_it_was(page: Page, ronda: RunningRonda, version: str, url: str, text: set[str]) -> None:
    pages = _items(ronda, f"/versions/{version}/pages?page_size=500")
    front = next(one for one in pages if one["url"] == url)
    page.goto(f"/replay/{front['capture']}")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", level=1)).to_be_visible(timeout=PATIENCE)
    shown = frame.locator("body").inner_text()
    assert all(sentence in shown for sentence in text), text - set(shown.split("\n"))
    for image in frame.locator("img").all():
        expect(image).to_have_js_property("complete", True, timeout=PATIENCE)
        assert image.evaluate("image => image.naturalWidth") > 0
    # Its own style sheet is in force: without it, links would be of the browser's blue.
    styles = frame.locator("html").evaluate("() => [...document.styleSheets].map(s => s.cssRules.length)")
    assert max(styles) > 5
    assert "127.77." not in (frame.locator("html").evaluate("() => location.host") or "")


def _diff_says_so(
    page: Page,
    ronda: RunningRonda,
    url: str,
    versions: tuple[dict[str, Any], dict[str, Any]],
    texts: tuple[set[str], set[str]],
) -> None:
    a, b = (version["id"] for version in versions)
    page.goto(f"/diff?url={quote(url, safe='')}&a={a}&b={b}&view=side")
    columns = page.locator("table.diff tbody tr:not(.gap)").evaluate_all(
        "rows => [0, 1].map(n => rows.map(row => row.cells[n]?.innerText ?? ''))"
    )
    removed, added = texts[0] - texts[1], texts[1] - texts[0]
    assert added
    for column, sentences in zip(columns, (removed, added), strict=True):
        shown = re.sub(r"\s+", " ", " ".join(column))
        assert all(sentence in shown for sentence in sentences), (sentences, shown)
    told = run_ronda("diff", url, a, b, home=ronda.home, RONDA_PORT=str(ronda.port))
    assert told.returncode == 0, told.stderr
    assert len(re.sub(r"\s+", " ", told.stdout)) > 100
