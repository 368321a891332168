"""A person in a real browser: logs in, makes a token, cancels a job, switches language; nothing complains."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.running import RunningRonda

CHROMIUM = shutil.which("chromium")
PASSWORD = "correct horse 7"


@pytest.fixture
def page(shared_ronda: RunningRonda) -> Iterator[Page]:
    """A page that fails the test if the browser's console says anything, or another host is asked."""
    if CHROMIUM is None:
        pytest.skip("no Chromium. Debian: apt install chromium")
    complaints: list[str] = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = chromium.new_page(
            base_url=shared_ronda.url, locale="en", viewport={"width": 375, "height": 740}
        )
        page.set_default_timeout(20_000)
        page.on("console", lambda said: complaints.append(f"{page.url}: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on("request", lambda asked: complaints.extend(_foreign(asked.url, shared_ronda.url)))
        yield page
        chromium.close()
    assert complaints == []


def _foreign(address: str, home: str) -> list[str]:
    return [] if address.startswith(home) else [f"another host is asked: {address}"]


def test_a_day_in_the_console(page: Page, shared_ronda: RunningRonda) -> None:
    _log_in_with_the_link(page, shared_ronda)
    _make_a_token(page, shared_ronda)
    _cancel_a_job(page, shared_ronda)
    _switch_language_and_leave(page)


def _log_in_with_the_link(page: Page, ronda: RunningRonda) -> None:
    link = re.search(r"/login/once/\S+", ronda.log)
    assert link
    page.goto(link[0])
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def _make_a_token(page: Page, ronda: RunningRonda) -> None:
    page.get_by_text("Menu").click()
    page.get_by_role("link", name="Tokens").click()
    page.get_by_label("Name of the token").fill("from the browser")
    page.get_by_role("button", name="Create").click()
    secret = page.locator("#secret").inner_text()
    assert ronda.call("GET", "/me", token=secret)[0] == 200


def _cancel_a_job(page: Page, ronda: RunningRonda) -> None:
    job = ronda.start_drill(1000, 0.2)
    page.goto(f"/jobs/{job}")
    # It moves while one looks: no reload, only the live part.
    expect(page.locator("#live-job .state")).to_have_text("Running")
    expect(page.locator("#live-job")).to_contain_text(re.compile(r"[3-9] of 1,000 steps"))
    page.get_by_role("link", name="Cancel…").click()
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.locator("#live-job .state")).to_have_text("Cancelled")
    assert ronda.job(job)["state"] == "cancelled"


def _switch_language_and_leave(page: Page) -> None:
    page.get_by_text("Menu").click()
    page.get_by_role("button", name="Español").click()
    expect(page.locator("#live-job .state")).to_have_text("Cancelado")
    page.goto("/system")
    expect(page.get_by_role("heading", name="Sistema")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_text("Menú").click()
    page.get_by_role("button", name="Cerrar sesión").click()
    expect(page.get_by_role("heading", name="Iniciar sesión")).to_be_visible()
