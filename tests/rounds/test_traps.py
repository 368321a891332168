"""URLs that lead nowhere are known by their looks, and others are let pass."""

from __future__ import annotations

from datetime import date

import pytest

from ronda.rounds import traps
from ronda.rounds.traps import PatternBudget, pattern_of, reason_to_leave, without_session

TODAY = date(2026, 6, 1)
SITE = "https://a.example"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/", ""),
        ("/news/2005/03/14/a-story", ""),
        ("/archive/2026/05", ""),
        ("/item/3814-120", ""),
        ("/item/381412", ""),
        ("/calendar/2027/05", ""),
        ("/products/4711?color=red&size=m", ""),
        ("/docs/docs/intro", ""),
        ("/calendar/2029/01", traps.FAR_DATE),
        ("/calendar/1889/12", traps.FAR_DATE),
        ("/calendar/2031-07-01", traps.FAR_DATE),
        ("/events?year=2040&month=2", traps.FAR_DATE),
        ("/a/b/a/b/a/b/", traps.REPEATING),
        ("/x/x/x", traps.REPEATING),
        ("/a/1/a/2/a/3/a/4", traps.REPEATING),
        ("/" + "/".join(f"p{n}" for n in range(25)), traps.TOO_MANY_PARTS),
        ("/" + "x" * 1200, traps.TOO_LONG),
        ("/search?" + "&".join(f"f{n}=1" for n in range(15)), traps.TOO_MANY_FIELDS),
    ],
)
def test_looks(path: str, reason: str) -> None:
    assert reason_to_leave(SITE + path, today=TODAY) == reason


@pytest.mark.parametrize(
    ("url", "tidy"),
    [
        ("/x;jsessionid=0123ABCD?a=1", "/x?a=1"),
        ("/x?PHPSESSID=0123456789abcdef&a=1", "/x?a=1"),
        ("/x?a=1&sid=0123456789abcdef", "/x?a=1"),
        ("/x?sid=0123456789abcdef", "/x"),
        ("/(S(abcdefgh12345678))/x.aspx", "/x.aspx"),
        ("/x?sid=7", "/x?sid=7"),
        ("/x?side=0123456789abcdef", "/x?side=0123456789abcdef"),
        ("/session/2024", "/session/2024"),
    ],
)
def test_session_ids(url: str, tidy: str) -> None:
    assert without_session(SITE + url) == SITE + tidy


def test_patterns() -> None:
    assert pattern_of(f"{SITE}/p/12/x?b=1&a=2") == pattern_of(f"{SITE}/p/7/x?a=9&b=") == f"{SITE}/p/0/x?a&b"
    assert pattern_of(f"{SITE}/o/3f2504e0-4f89-11d3-9a0c-0305e82c3301") == f"{SITE}/o/0"
    assert pattern_of(f"{SITE}/about") == f"{SITE}/about"


def test_of_one_pattern_only_so_many() -> None:
    budget = PatternBudget.of([], max_pages=1000)
    assert sum(budget.takes(f"{SITE}/item/{n}") for n in range(2000)) == 500
    assert (
        sum(budget.takes(f"{SITE}/calendar/{y}/{m:02}") for y in range(1995, 2026) for m in range(1, 13))
        == 60
    )
    assert all(budget.takes(f"{SITE}/page-{letter}") for letter in "abcdefgh")
    counted = PatternBudget.of(budget.counts.items(), max_pages=1000)
    assert not counted.takes(f"{SITE}/item/9999"), "what earlier steps took counts"
