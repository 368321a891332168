"""A noisy demo site followed for real: its noise is learnt, shown, undone; a rule is tried and written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import fits, log_in_with_the_link, page_of
from tests.running import RunningRonda, free_port, wait_for

# Silent for good when the demo begins, with a counter on every page.
ADDRESS = "127.77.3.7"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def ronda(ronda_in: Callable[..., RunningRonda], fresh_database: str, port: int) -> RunningRonda:
    running = ronda_in(
        "home", "--demo", "--workers", "1", RONDA_DATABASE_URL=fresh_database, RONDA_DEMO_PORT=str(port)
    )
    running.start()
    assert running.call("PUT", "/settings/delay_floor_seconds", {"value": "0"})[0] == 200
    return running


@pytest.fixture
def page(ronda: RunningRonda) -> Iterator[Page]:
    with page_of(ronda, width=1200) as page:
        yield page


def _visits(ronda: RunningRonda, source: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = ronda.call("GET", f"/sources/{source}/visits")[1]["items"]
    return [visit for visit in items if visit["state"] == "ended"]


def _visited(ronda: RunningRonda, database: str, source: str) -> dict[str, Any]:
    before = len(_visits(ronda, source))
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("UPDATE rounds_source SET next_visit_at = now()")
    wait_for(lambda: len(_visits(ronda, source)) > before, "the visit")
    return _visits(ronda, source)[0]


def test_noise_from_learning_to_undoing(
    page: Page, ronda: RunningRonda, fresh_database: str, port: int
) -> None:
    asked = {"url": f"http://{ADDRESS}:{port}/", "collection": "cultural", "scope": "page", "every": "1d"}
    source = ronda.call("POST", "/sources", asked)[1]["id"]
    wait_for(lambda: _visits(ronda, source), "the first visit")
    visit = _visited(ronda, fresh_database, source)
    assert (visit["outcome"], visit["reason"]) == ("unchanged", "nothing but noise")
    assert (visit["pages_bytes"], visit["pages_meaning"]) == (1, 0)
    assert visit["version"] is None

    log_in_with_the_link(page, ronda)
    page.goto(f"/sources/{source}")
    page.get_by_role("link", name="1 part ignored").click()
    row = page.locator("table tbody tr").first
    expect(row).to_contain_text("footer > p.counter")
    expect(row).to_contain_text("differed within seconds once")
    row.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("It counts again, and is not learnt a second time.")).to_be_visible()
    assert _visited(ronda, fresh_database, source)["outcome"] == "captured", "it counts again"

    page.get_by_label("What to ignore").select_option("pattern")
    page.get_by_label("Which").fill(r"Visit\w+ [^:]+: \d+")
    page.get_by_role("button", name="Try it on the last two versions").click()
    trial = page.locator("#trials tbody tr").first
    expect(trial).to_contain_text("Visit")
    expect(trial.locator("td").nth(1)).to_have_text("0.000")
    page.get_by_role("button", name="Ignore it", exact=True).first.click()
    expect(page.get_by_text("It is ignored from the next visit on.")).to_be_visible()
    visit = _visited(ronda, fresh_database, source)
    assert (visit["outcome"], visit["reason"]) == ("unchanged", "nothing but noise")
    for width in (375, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        assert fits(page)
