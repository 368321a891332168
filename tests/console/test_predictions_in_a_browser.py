"""A reader in a real browser: why a source is visited when it is, what if, groups, and a simulation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import fits, log_in_with_the_link, page_of
from tests.running import PATIENCE_SECONDS, RunningRonda

PATIENCE = PATIENCE_SECONDS * 1000
URL = "https://lively.example/"

# Ninety days, a look a day, every other one found a change. The last week is not over.
VISITS = """
INSERT INTO rounds_visit (source_id, cause, state, outcome, reason, opened_at, ended_at, is_to_be_cancelled, requests,
                          size_bytes, failures, left_out, pages_bytes, pages_meaning, cut_off)
SELECT %(source)s, 'schedule', 'ended', CASE WHEN day %% 2 = 0 THEN 'captured' ELSE 'unchanged' END, '',
       now() - (90 - day) * interval '1 day', now() - (90 - day) * interval '1 day', false, 1, 1, 0, '{}', 0, 0, 0
  FROM generate_series(0, 89) AS day
"""
RECORD = """
INSERT INTO rounds_trackrecord (source_id, visits, needless, changes, lost, bytes_stored, bytes_saved, observed_days,
                                frequency, "group", behaviour, best_predictor, back_test)
VALUES (%(source)s, 90, 45, 44, 12, 44000, 22000, 89, 0.49, 'medium', 'steady', '', '[]')
"""
PLANNED = """
UPDATE rounds_source SET next_visit_at = now() + interval '8 hours', visited_at = now() - interval '1 day',
       next_visit_because = 'At the interval that was set.', next_visit_chance = 0.82 WHERE id = %(source)s
"""


@pytest.fixture
def ronda(ronda_in: Callable[..., RunningRonda], fresh_database: str) -> RunningRonda:
    running = ronda_in("home", "--workers", "1", RONDA_DATABASE_URL=fresh_database)
    running.start()
    return running


@pytest.fixture
def source(ronda: RunningRonda, fresh_database: str) -> str:
    status, made = ronda.call("POST", "/sources", {"url": URL, "title": "Lively"})
    assert status == 201
    with psycopg.connect(fresh_database, autocommit=True) as connection:
        for statement in (VISITS, RECORD, PLANNED):
            connection.execute(statement, {"source": made["id"]})
    return str(made["id"])


@pytest.fixture
def page(ronda: RunningRonda) -> Iterator[Page]:
    with page_of(ronda, width=375) as page:
        yield page


def test_why_what_if_and_groups(page: Page, ronda: RunningRonda, source: str) -> None:
    log_in_with_the_link(page, ronda)
    page.goto(f"/sources/{source}")
    expect(page.get_by_text("82 % sure of a change by then")).to_be_visible()
    page.get_by_role("link", name="Prediction").click()
    expect(page.get_by_role("heading", name="Prediction")).to_be_visible()
    expect(page.get_by_text("Fixed, every 7 days")).to_be_visible()
    assert fits(page)

    # The slider is moved with the keyboard; the table follows without a reload.
    slider = page.get_by_label("Against a fixed frequency")
    slider.focus()
    slider.press("End")
    expect(page.get_by_text("every 30 days", exact=True)).to_be_visible()
    expect(page.get_by_text("Fixed, every 30 days")).to_be_visible()
    page.get_by_label("Predictor", exact=True).select_option("simple")
    expect(page.get_by_text("Dynamic, simple")).to_be_visible()
    expect(page.get_by_role("img", name="44 changes")).to_be_visible()
    expect(page).to_have_url(re.compile("days=30"))
    assert fits(page)

    page.goto("/groups")
    page.get_by_label("How often").select_option("medium")
    expect(page.get_by_role("link", name="Lively", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("group=medium"))
    assert fits(page)
    page.get_by_label("How often").select_option("high")
    expect(page.get_by_text("No source matches.")).to_be_visible()
    _simulate(page)


def _simulate(page: Page) -> None:
    page.goto("/simulations/new")
    page.get_by_label("a made-up web").check()
    page.get_by_label("Made-up web", exact=True).select_option("workdays")
    page.get_by_label("Sources", exact=True).fill("10")
    page.get_by_label("Days", exact=True).fill("60")
    assert fits(page)
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("Dynamic, simple", exact=True)).to_be_visible(timeout=PATIENCE)
    slider = page.get_by_label("Against a fixed frequency")
    slider.focus()
    slider.press("Home")
    expect(page.get_by_text("Fixed, every day")).to_be_visible()
    assert fits(page)
