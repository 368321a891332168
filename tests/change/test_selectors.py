"""Selectors mean what they mean in CSS, as far as they are understood; the rest is refused in words."""

from __future__ import annotations

import pytest

from ronda.change.documents import Page
from ronda.change.errors import RuleRefused
from ronda.change.reading import outline_of
from ronda.change.rules import Ignoring, Rule, RuleKind
from ronda.change.selectors import parse

PAGE = """<body><div id="top" class="box wide" data-kind="ad-large" lang="en-GB"><p>one</p>
<section><p class="x">two</p></section></div>
<ul><li>three</li><li class="x y">four <b>five</b></li></ul><p>six</p></body>"""


def left(selector: str) -> list[str]:
    """The words that stay."""
    outline = outline_of(Page(PAGE.encode()), Ignoring([Rule(RuleKind.SELECTOR, selector)]))
    assert outline is not None
    return " ".join(outline.lines).split()


ALL = ["one", "two", "three", "four", "five", "six"]


@pytest.mark.parametrize(
    ("selector", "gone"),
    [
        ("p", ["one", "two", "six"]),
        ("P", ["one", "two", "six"]),
        ("div p", ["one", "two"]),
        ("div > p", ["one"]),
        ("body>p", ["six"]),
        (".x", ["two", "four", "five"]),
        ("li.x.y", ["four", "five"]),
        ("li.x b", ["five"]),
        ("#top", ["one", "two"]),
        ("div#top section > p.x", ["two"]),
        ("[data-kind]", ["one", "two"]),
        ("[data-kind='ad-large']", ["one", "two"]),
        ('div[data-kind^="ad"]', ["one", "two"]),
        ("[data-kind$=large] > p", ["one"]),
        ("[data-kind*='-la'] > p", ["one"]),
        ("[class~=wide] section", ["two"]),
        ("[lang|=en] > p", ["one"]),
        ("ul > * ", ["three", "four", "five"]),
        ("b, section", ["two", "five"]),
        ("table p", []),
        ("section > section p", []),
        ("li > p", []),
    ],
)
def test_what_a_selector_means(selector: str, gone: list[str]) -> None:
    assert left(selector) == [word for word in ALL if word not in gone]


@pytest.mark.parametrize(
    "selector",
    ["", "   ", ">", "> p", "p >", "p:hover", "p:nth-child(2)", "a + b", "a ~ b", "..", "#", "[x", "p,,q", "p ,",
     "*p q*", "a" * 600, " ".join("abcdefghijklmnopqrstuvwxyz")],
)  # fmt: skip
def test_what_is_not_understood_is_refused(selector: str) -> None:
    with pytest.raises(RuleRefused) as refusal:
        parse(selector)
    assert str(refusal.value).endswith(".")
