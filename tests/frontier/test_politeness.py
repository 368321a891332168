"""The numbers of politeness, and what robots.txt says."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.frontier import robots
from ronda.frontier.politeness import (
    BACKOFF_FORGOTTEN_SECONDS,
    LONGEST_BACKOFF_SECONDS,
    Pace,
    Rests,
    backoff_seconds,
    delay_seconds,
    incidents_with,
    unlearned_seconds,
)

seconds = st.floats(min_value=0, max_value=1e6)


@given(st.none() | seconds, st.none() | seconds, seconds, seconds)
def test_delay_is_never_less_than_anybody_asks_for_below_the_cap(
    crawl_delay: float | None, latency: float | None, floor: float, cap: float
) -> None:
    delay = delay_seconds(Pace(floor, cap, 2), crawl_delay, latency)
    assert delay <= cap
    if delay < cap:
        assert delay >= max(floor, crawl_delay or 0, 2 * (latency or 0))


@given(st.integers(min_value=1, max_value=1000), st.none() | seconds, st.integers())
def test_back_off_doubles_with_jitter_to_a_day(incidents: int, retry_after: float | None, seed: int) -> None:
    rest = backoff_seconds(Pace(), incidents, retry_after, random.Random(seed))
    assert 54 <= rest <= LONGEST_BACKOFF_SECONDS
    assert rest >= min(LONGEST_BACKOFF_SECONDS, retry_after or 0)
    if incidents <= 10 and not retry_after:
        assert rest == pytest.approx(min(LONGEST_BACKOFF_SECONDS, 60 * 2 ** (incidents - 1)), rel=0.11)


START = datetime(2026, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_host_that_never_gets_better_rests_twice_as_long_each_time_up_to_a_day() -> None:
    rests, now, series = Rests(0, None, None), START, []
    for _ in range(14):
        incidents = incidents_with(rests, leased_at=now - SECOND, now=now)
        rest = timedelta(seconds=backoff_seconds(Pace(), incidents, None, random.Random(1)))
        rests = Rests(incidents, now, now + rest)
        series.append(incidents)
        now = now + rest + 60 * SECOND
    assert series == list(range(1, 15))
    assert rests.until is not None
    assert rests.asked_at is not None
    assert rests.until - rests.asked_at >= timedelta(hours=21)


@given(st.integers(min_value=1, max_value=86_400), st.integers(min_value=1, max_value=10**6))
def test_rests_are_forgotten_after_as_long_a_quiet_time_from_their_end(rest: int, quiet: int) -> None:
    rests = Rests(5, START, START + rest * SECOND)
    now = START + (rest + quiet) * SECOND
    is_forgotten = quiet > max(BACKOFF_FORGOTTEN_SECONDS, rest)
    assert incidents_with(rests, leased_at=now - SECOND, now=now) == (1 if is_forgotten else 6)


def test_what_was_under_way_belongs_to_the_same_incident() -> None:
    rests = Rests(3, START, START + 240 * SECOND)
    assert incidents_with(rests, leased_at=START - SECOND, now=START + 5 * SECOND) == 3


def test_learned_delay_is_forgotten_by_halves() -> None:
    assert unlearned_seconds(Pace(), 16) == 8
    assert unlearned_seconds(Pace(), 2) == 0


ROBOTS = """
User-agent: *
Crawl-delay: 3
Disallow: /private/
Disallow: /*.pdf$
Allow: /private/open
Sitemap: http://a.example/sitemap.xml

User-agent: RondaBot
Crawl-delay: 7
Disallow: /only-for-us
"""


def test_our_own_group_counts_and_not_the_others() -> None:
    assert robots.refusal_of(ROBOTS, "http://a.example/private/x") is None
    refusal = robots.refusal_of(ROBOTS, "http://a.example/only-for-us/x")
    assert str(refusal) == "refused by robots.txt: Disallow: /only-for-us"
    assert robots.crawl_delay_seconds(ROBOTS) == 7
    assert robots.sitemaps(ROBOTS) == ["http://a.example/sitemap.xml"]


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/private/x", "Disallow: /private/"),
        ("/private/open", None),
        ("/a/b.pdf", "Disallow: /*.pdf$"),
        ("/a/b.pdf?x", None),
        ("/", None),
    ],
)
def test_rules_for_everybody(path: str, rule: str | None) -> None:
    text = ROBOTS.split("User-agent: RondaBot")[0]
    refusal = robots.refusal_of(text, f"http://a.example{path}")
    assert (refusal.rule if refusal else None) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("User-agent: Other\nDisallow: /foo/bar/baz\n\nUser-agent: *\nDisallow: /foo\n", "/foo"),
        ("User-agent: *\nDisallow: /foo/bar/baz\n\nUser-agent: rondabot\nDisallow: /foo\n", "/foo"),
        ("User-agent: RondaBot\nUser-agent: Other\nDisallow: /foo/b\nUser-agent: RondaBot\nDisallow: /foo", "/foo/b"),
        ("User-agent: RondaBot\nSitemap: http://a.example/s\nUser-agent: Other\nDisallow: /foo/bar/b\n", "/foo/bar/b"),
        ("User agent *\ndissallow /foo/bar\nUseragent: Other\nDisallow: /foo/bar/baz", "/foo/bar"),
        ("User-agent: *\nDisallow: /*/b b # all of it\nDisallow: /foo/bar/b", "/foo/bar/b"),
    ],
)  # fmt: skip
def test_the_rule_that_is_cited_is_one_for_us(text: str, rule: str) -> None:
    refusal = robots.refusal_of(text, "http://a.example/foo/bar/baz")
    assert refusal is not None
    assert refusal.rule == f"Disallow: {rule}"


def test_a_rule_is_cited_whole() -> None:
    refusal = robots.refusal_of("User-agent: *\nDisallow: /a b # a comment\n", "http://a.example/a%20b/c")
    assert refusal is not None
    assert refusal.rule == "Disallow: /a b"


_LINES = st.sampled_from(
    [
        "User-agent: *", "User-agent: RondaBot", "User-agent: Other", "Disallow: /a", "Disallow: /a/b", "Disallow:",
        "Allow: /a/b", "Sitemap: http://a.example/s", "Crawl-delay: 2", "Disallow: /*b", "# note", "X: y", "nonsense",
    ]
)  # fmt: skip


@given(st.lists(_LINES, max_size=12))
def test_whatever_refuses_us_can_be_cited(lines: list[str]) -> None:
    refusal = robots.refusal_of("\n".join(lines), "http://a.example/a/b")
    assert refusal is None or refusal.rule in lines


@given(st.binary(max_size=2000))
def test_any_bytes_can_be_read(body: bytes) -> None:
    text = robots.decode(body)
    robots.refusal_of(text, "http://a.example/x")
    assert robots.crawl_delay_seconds(text) is None or robots.crawl_delay_seconds(text) >= 0  # type: ignore[operator]
