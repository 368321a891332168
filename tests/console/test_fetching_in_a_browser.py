"""A client in a real browser: pastes URLs of the demo's web, sees them answered, takes them home, opens their host."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect
from warcio.archiveiterator import ArchiveIterator

from tests.console.chromium import fits, log_in_with_the_link, page_of
from tests.running import PATIENCE_SECONDS, RunningRonda, free_port, wait_for


@pytest.fixture
def ronda(tmp_path: Path) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path / "home",
        arguments=["--demo", "--workers", "1"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    yield running
    running.stop()


@pytest.fixture
def page(ronda: RunningRonda) -> Iterator[Page]:
    with page_of(ronda) as page:
        yield page


def _demo_urls(ronda: RunningRonda) -> list[str]:
    """Three pages of one site that lets everybody in."""
    with urlopen(f"http://127.77.0.1:{ronda.environment['RONDA_DEMO_PORT']}/api/sites") as response:
        sites = json.loads(response.read())["sites"]
    site = next(site for site in sites if site["robots"] == "open" and not site["quirks"])
    return [site["url"].rstrip("/") + path for path in site["pages"][:3]]


def test_urls_are_pasted_answered_and_taken_home(page: Page, ronda: RunningRonda, tmp_path: Path) -> None:
    urls = _demo_urls(ronda)
    host = urls[0].split("/")[2]
    log_in_with_the_link(page, ronda)
    page.goto("/fetches/new")
    page.get_by_label("URLs", exact=True).fill("\n".join(urls))
    page.get_by_role("button", name="Fetch them").click()
    # The answers come in while one looks: no reload, only the live part.
    expect(page.locator("#live-fetch .state").first).to_have_text("Done", timeout=PATIENCE_SECONDS * 1000)
    expect(page.locator("#outcome-2xx")).to_be_visible()
    for url in urls:
        expect(page.get_by_role("rowheader", name=url, exact=True)).to_be_visible()
    assert fits(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Answers as WARC").click()
    download.value.save_as(tmp_path / "taken.warc.gz")
    with (tmp_path / "taken.warc.gz").open("rb") as file:
        found = [r.rec_headers["WARC-Target-URI"] for r in ArchiveIterator(file) if r.rec_type == "response"]
    assert sorted(found) == sorted(urls)
    _open_the_host(page, host)
    _opt_it_out(page, ronda, urls[0])
    _make_the_join_command(page, ronda)


def _open_the_host(page: Page, host: str) -> None:
    page.get_by_role("link", name=host, exact=True).click()
    page.get_by_role("link", name="Open this host").click()
    expect(page.get_by_role("heading", name=host)).to_be_visible()
    expect(page.get_by_role("heading", name="Last captures")).to_be_visible()
    assert fits(page)
    page.get_by_role("link", name="Change…").click()
    page.get_by_label("Delay set by hand (seconds)").fill("2.5")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#live-host")).to_contain_text("2.5 s")


def _opt_it_out(page: Page, ronda: RunningRonda, url: str) -> None:
    page.get_by_role("link", name="Opt out…").click()
    page.get_by_label("Reason").fill("asked by mail")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("rowheader", name="127.77.").first).to_be_visible()
    assert fits(page)
    _, made = ronda.call("POST", "/fetches", {"urls": [url]})
    assert made["refused"] == 1


def _make_the_join_command(page: Page, ronda: RunningRonda) -> None:
    page.goto("/nodes")
    page.get_by_role("button", name="Make the command, with a token").click()
    command = page.locator("#join").inner_text()
    assert command.startswith(f"ronda-node join {ronda.url} --token ronda_")
    page.get_by_role("button", name="Copy").click()
    fetch, *_ = ronda.call("GET", "/fetches?sort=created_at")[1]["items"]
    assert (fetch["total"], fetch["ended"], fetch["refused"]) == (3, 3, 0)
    page.goto("/grid")
    # What was fetched above is in the counts of the last minutes; what Ronda asks for itself is counted alike.
    wait_for(
        lambda: ronda.call("GET", "/grid/overview")[1]["outcomes_last_hour"].get("2xx", 0) >= 3, "the counts"
    )
    expect(page.get_by_role("heading", name="Nothing is queued")).to_be_visible()
    assert fits(page)
