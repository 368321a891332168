"""A real browser on a running Ronda, that complains about whatever our pages never do."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.running import RunningRonda

CHROMIUM = shutil.which("chromium")
PASSWORD = "correct horse 7"


@contextmanager
def page_of(ronda: RunningRonda, width: int = 375, also: str = "") -> Iterator[Page]:
    """A page that fails the test if the browser's console says anything, or another host (than `also`) is asked."""
    if CHROMIUM is None:
        pytest.skip("no Chromium. Debian: apt install chromium")
    complaints: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = chromium.new_page(base_url=ronda.url, locale="en", viewport={"width": width, "height": 740})
        page.set_default_timeout(20_000)
        page.on("console", lambda said: complaints.append(f"{page.url}: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on("request", lambda asked: complaints.extend(_foreign(asked.url, ronda.url, also or ronda.url)))
        yield page
        chromium.close()
    assert complaints == []


def _foreign(address: str, *homes: str) -> list[str]:
    return [] if address.startswith(homes) else [f"another host is asked: {address}"]


def log_in_with_the_link(page: Page, ronda: RunningRonda) -> None:
    link = re.search(r"/login/once/\S+", ronda.log)
    assert link
    page.goto(link[0])
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def fits(page: Page) -> bool:
    """Nothing is wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
