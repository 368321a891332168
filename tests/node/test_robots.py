"""Redirects obey robots.txt; what the server assigned is its decision."""

from __future__ import annotations

import pytest

from ronda_node.policy import ANYWHERE
from ronda_node.robots import Rules
from ronda_node.urls import canonicalise

TEXT = "User-agent: *\nDisallow: /\n\nUser-agent: RondaBot\nDisallow: /closed\nAllow: /closed/not\n"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", True),
        ("/closed", False),
        ("/closed/1?x=y", False),
        ("/closed/not", True),
        ("/closed/assigned", True),
    ],
)
def test_rules_that_are_for_us_hold(path: str, expected: bool) -> None:
    rules = Rules(TEXT, ["http://a.example/closed/assigned"])
    assert rules.may_fetch(canonicalise(f"http://a.example{path}", ANYWHERE)) is expected


def test_without_rules_all_is_allowed() -> None:
    assert Rules("", []).may_fetch(canonicalise("http://a.example/closed", ANYWHERE))
