"""A client in a real browser: drops files on the page, watches rows arrive, reads the right answers, asks again."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.console.chromium import fits, log_in_with_the_link, page_of
from tests.running import PATIENCE_SECONDS, RunningRonda

POSTS = ("type", "id", "subreddit.id", "subreddit.name", "subreddit.nsfw", "created_utc", "permalink", "domain",
         "url", "selftext", "title", "score")  # fmt: skip
COMMENTS = ("type", "id", "subreddit.id", "subreddit.name", "subreddit.nsfw", "created_utc", "permalink", "body",
            "sentiment", "score")  # fmt: skip
SCORES = (10, 30, 80)
SAID = (
    ("p2", "my Professor,\nreally", 0.5),
    ("p2", 'a "student" here', 0.7),
    ("p1", "so true", 0.9),
    ("p0", "university", -0.2),
    ("p1", "[deleted]", 0.0),
)


@pytest.fixture
def ronda(tmp_path: Path) -> Iterator[RunningRonda]:
    running = RunningRonda(tmp_path / "home", arguments=["--workers", "1"], environment={"RONDA_NODES": "0"})
    running.start()
    yield running
    running.stop()


def _write(folder: Path) -> tuple[Path, Path]:
    posts, comments = folder / "posts.csv", folder / "comments.csv"
    with posts.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(POSTS)
        for number, score in enumerate(SCORES):
            link = f"https://old.reddit.com/r/meirl/comments/p{number}/meirl/"
            image = f"https://i.redd.it/p{number}.png"
            rows.writerow(
                [
                    "post",
                    f"p{number}",
                    "2",
                    "meirl",
                    "false",
                    1,
                    link,
                    "i.redd.it",
                    image,
                    "",
                    "me\nirl",
                    score,
                ]
            )
        rows.writerow(
            ["post", "bad", "2", "meirl", "false", 1, "x", "i.redd.it", "", "", "a\nb", "no number"]
        )
    with comments.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COMMENTS)
        for number, (post, body, sentiment) in enumerate(SAID):
            link = f"https://old.reddit.com/r/meirl/comments/{post}/meirl/c{number}/"
            rows.writerow(["comment", f"c{number}", "2", "meirl", "false", 1, link, body, sentiment, 1])
    return posts, comments


def test_files_are_dropped_and_answered(ronda: RunningRonda, tmp_path: Path) -> None:
    posts, comments = _write(tmp_path)
    with page_of(ronda) as page:
        log_in_with_the_link(page, ronda)
        page.goto("/ask")
        page.get_by_role("link", name="Ask Reddit memes").click()
        assert fits(page)
        page.locator("#file-posts").set_input_files(posts)
        page.locator("#file-comments").set_input_files(comments)
        page.locator("#ask-form").get_by_role("button", name="Ask").click()
        state = page.locator("#live-session .state").first
        expect(state).to_have_text("Answered", timeout=PATIENCE_SECONDS * 1000)
        _read_the_answers(page)
        page.get_by_role("link", name="Open this session").click()
        _read_the_answers(page)
        _take_home(page, tmp_path)
        _ask_again(page)
        _look_around(page)


def _read_the_answers(page: Page) -> None:
    expect(page.locator("#session-rows")).to_contain_text("8")
    mean = page.locator("section.answer", has_text="Mean score of all posts")
    expect(mean.locator(".answer-number")).to_contain_text("40")
    liked = page.locator("section.answer", has_text="like").filter(has_text="p2")
    expect(liked.first).to_contain_text("https://i.redd.it/p2.png")
    happiest = page.locator("section.answer", has_text="The happiest meme")
    expect(happiest.locator("tbody tr").first).to_contain_text("p1")
    expect(happiest.locator(".bars")).to_be_visible()
    assert fits(page)


def _take_home(page: Page, folder: Path) -> None:
    happiest = page.locator("section.answer", has_text="The happiest meme")
    with page.expect_download() as download:
        happiest.get_by_role("link", name="CSV").click()
    download.value.save_as(folder / "happiest.csv")
    with (folder / "happiest.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == ["p1", "p2", "p0"]


def _ask_again(page: Page) -> None:
    happiest = page.locator("section.answer", has_text="The happiest meme")
    happiest.get_by_text("Ask with other parameters").click()
    happiest.get_by_label("Fewest comments with a sentiment").fill("2")
    happiest.get_by_role("button", name="Ask").click()
    again = page.locator("section.answer", has_text="Fewest comments with a sentiment: 2")
    expect(again.locator(".state").first).to_have_text("Complete", timeout=PATIENCE_SECONDS * 1000)
    expect(again.locator("tbody tr").first).to_contain_text("p2")


def _look_around(page: Page) -> None:
    for tab in ("Questions", "Sessions", "Answers"):
        page.locator(".tabs").get_by_role("link", name=tab).click()
        expect(page.get_by_role("heading", name=tab, exact=True)).to_be_visible()
        assert fits(page)
    expect(page.get_by_role("link", name="The happiest meme")).to_have_count(2)
