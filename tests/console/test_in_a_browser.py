"""A person in a real browser: logs in, makes a token, cancels a job, switches language; nothing complains."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import fits, log_in_with_the_link, page_of
from tests.running import RunningRonda


@pytest.fixture
def page(shared_ronda: RunningRonda) -> Iterator[Page]:
    with page_of(shared_ronda) as page:
        yield page


def test_a_day_in_the_console(page: Page, shared_ronda: RunningRonda) -> None:
    log_in_with_the_link(page, shared_ronda)
    _make_a_token(page, shared_ronda)
    _cancel_a_job(page, shared_ronda)
    _switch_language_and_leave(page)


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
    assert fits(page)
    page.get_by_text("Menú").click()
    page.get_by_role("button", name="Cerrar sesión").click()
    expect(page.get_by_role("heading", name="Iniciar sesión")).to_be_visible()
