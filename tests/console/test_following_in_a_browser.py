"""A subscriber in a real browser: follows a site of the demo, watches the capture, and opens the version it made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import fits, log_in_with_the_link, page_of
from tests.running import PATIENCE_SECONDS, RunningRonda, free_port, run_ronda

PATIENCE = PATIENCE_SECONDS * 1000


@pytest.fixture
def ronda(tmp_path: Path) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path / "home",
        arguments=["--demo", "--workers", "1"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    # The demo's own sites need no rest between two pages.
    running.call("PUT", "/settings/delay_floor_seconds", {"value": 0})
    yield running
    running.stop()


@pytest.fixture
def page(ronda: RunningRonda) -> Iterator[Page]:
    with page_of(ronda) as page:
        yield page


def _demo_site(ronda: RunningRonda) -> str:
    """The smallest site that lets everybody in."""
    with urlopen(f"http://127.77.0.1:{ronda.environment['RONDA_DEMO_PORT']}/api/sites") as response:
        sites = json.loads(response.read())["sites"]
    plain = [site for site in sites if site["robots"] == "open" and not site["quirks"]]
    return str(min(plain, key=lambda site: len(site["pages"]))["url"])


def test_a_site_is_followed_captured_and_looked_at(page: Page, ronda: RunningRonda) -> None:
    url = _demo_site(ronda)
    log_in_with_the_link(page, ronda)
    page.goto("/sources/new")
    page.get_by_label("Address").fill(url)
    page.get_by_label("Title").fill("A demo site")
    page.get_by_label("Topic").select_option("306")
    page.get_by_label("Tags").fill("demo")
    page.get_by_role("button", name="Follow it").click()
    expect(page.get_by_role("heading", name="A demo site")).to_be_visible()
    assert fits(page)
    # The visit begins and ends while one looks: no reload, only the live part.
    expect(page.get_by_role("link", name="Version 1")).to_be_visible(timeout=PATIENCE)
    expect(page.locator("#live-source .state", has_text="Captured").first).to_be_visible()
    assert page.locator(".year .kept-1").count() == 1
    assert fits(page)
    page.get_by_role("link", name="Version 1").click()
    expect(page.get_by_role("heading", name="Version 1")).to_be_visible()
    expect(page.get_by_role("rowheader", name=url, exact=True)).to_be_visible()
    page.get_by_role("button", name="Pin").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    assert fits(page)
    _visit_from_the_command_line(ronda, url)
    _do_it_in_bulk(page)


def _visit_from_the_command_line(ronda: RunningRonda, url: str) -> None:
    done = run_ronda("visit", url, "--wait", "--json", home=ronda.home, RONDA_PORT=str(ronda.port))
    visit = json.loads(done.stdout)
    # All of it was looked at; whether the demo changed something meanwhile is the demo's business.
    assert (done.returncode, visit["outcome"] in ("captured", "unchanged")) == (0, True), done.stderr
    assert (visit["cause"], visit["requests"] > 1) == ("hand", True)
    shown = run_ronda("versions", url, home=ronda.home, RONDA_PORT=str(ronda.port)).stdout
    assert "pinned" in shown


def _do_it_in_bulk(page: Page) -> None:
    page.goto("/sources")
    page.locator("#live-sources").evaluate("list => list.dataset.before = 'yes'")
    page.get_by_label("Search").fill("demo")
    # What is ticked in the list that is about to be replaced is lost.
    expect(page.locator("#live-sources:not([data-before])")).to_be_visible()
    expect(page.get_by_text("1 source", exact=True)).to_be_visible()
    page.get_by_label("Tick A demo site").check()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Done for 1 source.")).to_be_visible()
    expect(page.locator(".state", has_text="Paused")).to_be_visible()
    assert fits(page)
