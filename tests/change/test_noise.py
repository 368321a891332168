"""Noise is found between looks: every kind of the demo web, others of the real one, and no edit of a page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.change.documents import Page
from ronda.change.errors import RuleRefused
from ronda.change.learning import Finding, NoiseKind, found_at_once, found_later, only_part
from ronda.change.levelling import is_clock, level
from ronda.change.reading import outlines_of
from ronda.change.rules import Facet, Ignoring, Rule, RuleKind, check
from ronda.change.scoring import score
from ronda.demo.origins import Origins
from ronda.demo.responder import SiteResponder
from ronda.demo.sites import Noise, Site
from ronda.demo.world import DemoWorld

WORLD = DemoWorld(7)
NOISY = [site for site in WORLD.sites if site.noise]
AT = WORLD.epoch + timedelta(days=200, hours=9, minutes=26)
FOUND_AT_ONCE = {
    Noise.VISITOR_COUNTER: Rule(RuleKind.NUMBERS, "footer > p.counter"),
    Noise.ROTATING_BANNER: Rule(RuleKind.SELECTOR, "footer > p.banner"),
    Noise.SESSION_LINKS: Rule(RuleKind.FIELD, "sid", Facet.LINK),
    Noise.CLOCK: Rule(RuleKind.NUMBERS, "footer > p.clock"),
}
TEXT = "<p>The museum opens a new hall on the second floor and shows pottery of the northern valleys.</p>" * 4


def html(inner: str) -> Page:
    return Page(f"<html><body><main>{TEXT}</main>{inner}</body></html>".encode())


def at_once(before: str, after: str) -> list[Finding]:
    both = outlines_of(html(before), html(after))
    assert both is not None
    return found_at_once(*both)


@pytest.mark.parametrize("site", NOISY, ids=lambda site: site.name)
def test_every_kind_of_the_demo_web(site: Site) -> None:
    """Two looks a second apart, on a page that did not change between them."""
    responder = SiteResponder(WORLD, Origins(80))
    pages = [Page(responder.reply(site, "/", {}, AT + timedelta(seconds=n)).body) for n in range(3)]
    both = outlines_of(pages[0], pages[1])
    assert both is not None
    rules = {finding.rule for finding in found_at_once(*both)}
    assert rules == {FOUND_AT_ONCE[noise] for noise in site.noise}
    assert score(pages[0], pages[2]).is_meaningful
    assert not score(pages[0], pages[2], Ignoring(sorted(rules))).is_meaningful


@pytest.mark.parametrize(
    "site", [site for site in NOISY if Noise.CLOCK in site.noise], ids=lambda site: site.name
)
def test_clocks_are_told_by_what_they_say(site: Site) -> None:
    responder = SiteResponder(WORLD, Origins(80))
    moments = AT, AT + timedelta(hours=31)
    before, after = (Page(responder.reply(site, "/", {}, at).body) for at in moments)
    both = outlines_of(before, after)
    assert both is not None
    assert FOUND_AT_ONCE[Noise.CLOCK] in {finding.rule for finding in found_later(*both, *moments)}


def test_an_advertisement_is_ignored_with_all_in_it() -> None:
    def aside(number: int, words: str) -> str:
        ad = f'<a href="/out/{number}"><img src="/b{number}.png"></a><p>{words}</p>'
        return f'<aside><div class="ad">{ad}</div><p>Our friends</p></aside>'

    found = at_once(aside(1, "Buy boats"), aside(2, "Sell cars"))
    assert [(one.rule.where, one.is_certain) for one in found] == [("aside > div.ad", False)]


def test_a_part_that_is_only_sometimes_there() -> None:
    found = at_once(
        "<footer><p>By us</p></footer>", '<div class="pop">Accept!</div><footer><p>By us</p></footer>'
    )
    assert [one.rule.where for one in found] == ["div.pop"]


def test_tokens_in_texts_addresses_and_titles() -> None:
    found = at_once(
        '<p class="id">Request 8f3a99c1d2e4</p><img class="pix" src="/pixel.gif?r=1712">',
        '<p class="id">Request 0b2c4d6e8f90</p><img class="pix" src="/pixel.gif?r=9918">',
    )
    assert {(one.rule.kind, one.rule.where) for one in found} == {
        (RuleKind.NUMBERS, "p.id"),
        (RuleKind.FIELD, "r"),
    }
    assert NoiseKind.TOKEN in {one.kind for one in found}


def test_one_of_many_alike_is_an_edit() -> None:
    def stories(first: str) -> str:
        items = "".join(f"<li><a href='/{n}'>Story of the day {n}</a></li>" for n in ("a", "b", "c", "d"))
        return f"<ul class='stories'><li><a href='/{first}'>{first}</a></li>{items}</ul>"

    assert at_once(stories("Rain"), stories("Sunshine")) == []


def test_a_page_that_differs_altogether_is_not_noise() -> None:
    both = outlines_of(
        Page(b"<body><div class=a><p>One article, chosen by chance, of some length.</p></div></body>"),
        Page(b"<body><div class=a><p>Quite another one that has nothing in common with it.</p></div></body>"),
    )
    assert both is not None
    assert found_at_once(*both) == []


def test_a_page_that_differs_everywhere_keeps_nobody_busy() -> None:
    def strange(word: str) -> Page:
        return Page("".join(f"<x{n % 7}><y-{n}>{word}{n}" for n in range(5_000)).encode())

    both = outlines_of(strange("a"), strange("b"))
    assert both is not None
    assert found_at_once(*both) == []
    assert only_part(*both) is None


def test_the_only_part_that_differs() -> None:
    def both(banner: str, story: str = "") -> Finding | None:
        pages = (
            html("<footer><p class='b'>Summer course</p><p>By us</p></footer>"),
            html(f"<p class='s'>{story}</p><footer><p class='b'>{banner}</p><p>By us</p></footer>"),
        )
        found = outlines_of(*pages)
        assert found is not None
        return only_part(*found)

    alone = both("Winter course")
    assert alone is not None
    assert (alone.rule.where, alone.before, alone.after) == ("footer > p.b", "Summer course", "Winter course")
    assert not alone.is_certain
    assert both("Winter course", "and a story") is None
    assert both("Summer course") is None


@pytest.mark.parametrize(
    ("before", "after", "is_one"),
    [
        ("It is 2026-06-01 09:30:00", "It is 2026-06-02 14:05:10", True),
        ("Monday, 1 June 2026", "Tuesday, 2 June 2026", True),
        ("lunes, 1 de junio de 2026", "martes, 2 de junio de 2026", True),
        ("06/01/2026", "06/02/2026", True),
        ("Now 11:30", "Now 16:05", True),
        ("Price 30.10", "Price 31.20", False),
        ("Next concert: 12 July 2026", "Next concert: 19 July 2026", False),
        ("Open since 1 June 2026", "Closed since 2 June 2026", False),
    ],
)
def test_what_is_a_clock(before: str, after: str, is_one: bool) -> None:
    looks = datetime(2026, 6, 1, 9, 30, tzinfo=UTC), datetime(2026, 6, 2, 14, 5, tzinfo=UTC)
    assert is_clock(before, after, *looks) == is_one


@pytest.mark.parametrize(
    ("text", "levelled"),
    [
        ("Visitors: 48,211", "Visitors: 0"),
        ("10:31:22", "0:0:0"),
        ("id 8f3a99c1d2e4", "id 0"),
        ("h2 and col-6", "h0 and col-0"),
        ("2026-06-01", "0-0-0"),
        ("no numbers", "no numbers"),
    ],
)
def test_levelling(text: str, levelled: str) -> None:
    assert level(text) == levelled


@given(st.text(max_size=60))
def test_levelling_twice_changes_nothing(text: str) -> None:
    assert level(level(text)) == level(text)


def test_patterns_and_fields_by_hand() -> None:
    before = html("<p>Visitors today: 12 people</p><a href='/x?a=1&t=5#top'>x</a>")
    after = html("<p>Visitors today: 13 people</p><a href='/x?a=1&t=6#top'>x</a>")
    rules = [Rule(RuleKind.PATTERN, r"Visitors today: \d+"), Rule(RuleKind.FIELD, "t", Facet.LINK)]
    ignoring = Ignoring(rules)
    assert not score(before, after, ignoring).is_meaningful
    assert ignoring.used == set(rules)


def test_a_pattern_that_never_ends_is_left_alone() -> None:
    page = html(f"<p>{'a' * 5000}!</p>")
    rule = Rule(RuleKind.PATTERN, r"(a+)+\d")
    ignoring = Ignoring([rule])
    score(page, html("<p>b</p>"), ignoring)
    assert ignoring.too_slow == {rule}


@pytest.mark.parametrize("pattern", ["", "(", "a" * 600, "x*", "(?P<", "[z-a]"])
def test_patterns_that_are_refused(pattern: str) -> None:
    with pytest.raises(RuleRefused):
        check(Rule(RuleKind.PATTERN, pattern))
