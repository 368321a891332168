"""How much a page changed: worked examples of view, form and content, bounds, and nothing that takes for ever."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.change.documents import Page
from ronda.change.mass import PageTouch, mass_of
from ronda.change.reading import outline_of
from ronda.change.rules import Ignoring, Rule, RuleKind
from ronda.change.scoring import Component, Score, Weights, score, score_alone
from ronda.demo.assets import document
from ronda.demo.catalogue import load_sites
from tests.change.test_pages import HOSTILE

FRAME = """<!doctype html><html><head><title>{title}</title><link rel="stylesheet" href="/{sheet}.css"></head>
<body><h1>News</h1><main>{main}</main><footer><p>Since 1971</p></footer></body></html>"""
STORY = "The museum opens a new hall on the second floor and shows pottery of the northern valleys."


def page(main: str = f"<p>{STORY}</p>", title: str = "News", sheet: str = "site") -> Page:
    return Page(FRAME.format(main=main, title=title, sheet=sheet).encode())


def plain(text: str, mime: str) -> Page:
    return Page(text.encode(), mime)


def test_the_same_is_nothing() -> None:
    found = score(page(), page())
    assert (found.view, found.form, found.content, found.driver) == (0, 0, 0, None)
    assert not found.is_important(0)


def test_text_is_content() -> None:
    found = score(page(), page(f"<p>{STORY.replace('pottery', 'weavings')}</p>"))
    assert set(found.components) == {Component.TEXT}
    assert (found.words_added, found.words_removed) == (1, 1)
    # "pottery" and "weavings" with the blank behind each, of all characters of both pages.
    total = 2 * len(f"News{STORY}Since 1971") + len("weavings") - len("pottery")
    assert found.content == pytest.approx(0.8 * (8 + 9) / total)
    assert (found.view, found.form) == (0, 0)


def test_a_new_paragraph_is_news_on_a_long_page_as_well() -> None:
    long = "".join(f"<p>Paragraph {n} of a very long page that hardly ever changes.</p>" for n in range(2000))
    news = " ".join(["word"] * 60)
    found = score(page(long), page(f"<p>{news}</p>{long}"))
    assert found.content == pytest.approx(0.8 * 60 / 260)
    assert found.is_important(0.02)


def test_the_same_words_in_another_order_are_another_text() -> None:
    found = score(page("<p>dog bites man</p>"), page("<p>man bites dog</p>"))
    assert found.driver == Component.TEXT


def test_paragraphs_that_stand_elsewhere_are_view() -> None:
    paragraphs = [f"<p>Paragraph number {n} says this.</p>" for n in range(10)]
    found = score(page("".join(paragraphs)), page("".join([*paragraphs[1:], paragraphs[0]])))
    assert set(found.components) == {Component.ARRANGEMENT}
    assert (found.form, found.content) == (0, 0)


def test_another_structure_is_form() -> None:
    found = score(page(f"<p>{STORY}</p>"), page(f"<table><tr><td>{STORY}</td></tr></table>"))
    assert found.driver == Component.ELEMENTS
    assert found.content == 0


def test_colours_and_style_sheets_are_view() -> None:
    sheets = score(page(), page(sheet="winter"))
    assert set(sheets.components) == {Component.SHEETS}
    assert sheets.view == pytest.approx(0.4)
    colour = score(page('<p style="color: red">x</p>'), page('<p style="color: blue">x</p>'))
    assert set(colour.components) == {Component.LOOKS}
    picture = score(page('<img src="a.png">'), page('<img src="b.png">'))
    assert set(picture.components) == {Component.LOOKS}


def test_title_and_links_are_content() -> None:
    assert set(score(page(), page(title="Olds")).components) == {Component.TITLE}
    found = score(page('<a href="/a">x</a>'), page('<a href="/b">x</a>'))
    assert (set(found.components), found.content) == ({Component.LINKS}, 0.1)


def test_what_nobody_sees_is_nothing() -> None:
    before = f'<!-- a --><script nonce="1">var t = 1</script><input type="hidden" value="x"><p>{STORY}</p>'
    after = f'<!-- b --><script nonce="2">var t = 2</script>\n<input  type="hidden" value="y"><p >{STORY}</p>'
    assert not score(page(before), page(after)).is_meaningful


def test_a_page_that_only_scripts_fill_is_its_scripts() -> None:
    before, after = (
        Page(f"<body><div id=app></div><script>var news = {n}</script>".encode()) for n in (1, 2)
    )
    assert score(before, after).driver == Component.TEXT


def test_the_head_may_be_left_open() -> None:
    before, after = (
        Page(f"<title>x</title><head><meta charset=utf-8><body><p>{t}</p>".encode()) for t in ("a", "b")
    )
    assert score(before, after).driver == Component.TEXT


def test_json_by_structure() -> None:
    one, other = {"a": 1, "b": [1, {"c": 2}]}, {"b": [1, {"c": 3}], "a": 1}
    shuffled = json.dumps(dict(reversed(one.items())), indent=4)
    assert not score(
        plain(json.dumps(one), "application/json"), plain(shuffled, "application/json")
    ).is_meaningful
    found = score(plain(json.dumps(one), "application/json"), plain(json.dumps(other), "application/json"))
    assert set(found.components) == {Component.TEXT}
    without = Ignoring([Rule(RuleKind.SELECTOR, "json > b > c")])
    before, after = (plain(json.dumps(value), "application/json") for value in (one, other))
    assert not score(before, after, without).is_meaningful
    assert score(plain("{broken", "application/json"), plain("{broken!", "application/json")).is_meaningful


FEED = """<?xml version="1.0"?><rss><channel><title>News</title><lastBuildDate>{built}</lastBuildDate>
<item><title>{title}</title><description><![CDATA[<p>It <b>rains</b>.</p>]]></description></item></channel></rss>"""


def test_a_feed_is_its_entries() -> None:
    mime = "application/rss+xml"
    before = plain(FEED.format(built="Mon, 1 Jun 2026", title="Rain"), mime)
    assert not score(before, plain(FEED.format(built="Tue, 2 Jun 2026", title="Rain"), mime)).is_meaningful
    assert score(before, plain(FEED.format(built="Mon, 1 Jun 2026", title="Sun"), mime)).is_meaningful
    outline = outline_of(before)
    assert outline is not None
    assert any("rains" in line for line in outline.lines), "what stands in CDATA is read"


def test_the_text_of_a_pdf() -> None:
    one, other = (Page(document(site), "application/pdf") for site in load_sites()[:2])
    found = score(one, other)
    assert found.driver == Component.TEXT
    assert not score(one, Page(one.payload + b"\n% nothing", "application/pdf")).is_meaningful
    assert score(one, Page(b"%PDF-1.4 broken", "application/pdf")).driver == Component.BYTES


def test_what_cannot_be_read_is_told_apart() -> None:
    found = score(Page(b"\x89PNG1", "image/png"), Page(b"\x89PNG2", "image/png"))
    assert (found.driver, found.content) == (Component.BYTES, 1)
    assert not score(Page(b"\x89PNG1", "image/png"), Page(b"\x89PNG1", "image/png")).is_meaningful


def test_a_page_that_came_or_went_weighs_what_there_is_to_read() -> None:
    empty, short, long = (
        score_alone(outline_of(page(main))) for main in ("", "<p>x</p>", f"<p>{STORY * 50}</p>")
    )
    assert 0 < short.total() < 0.02 < long.total() < 0.5
    assert empty.total() < short.total()


def test_the_sum_against_the_threshold() -> None:
    found = Score(view=0.1, form=0.2, content=0.3, components={Component.TEXT: 0.3})
    assert found.total() == pytest.approx(0.2 * 0.1 + 0.3 * 0.2 + 0.5 * 0.3)
    assert found.is_important(0.229)
    assert not found.is_important(0.24)
    assert found.total(Weights(1, 0, 0)) == 0.1


BITS = st.sampled_from(
    ["<p>", "</p>", "<div class=a>", "</div>", "one ", "two ", "<a href=/x>", "</a>", "<img src=i>", "<li>"]
)
MARKUP = st.lists(BITS, max_size=30).map("".join)


@given(MARKUP, MARKUP)
def test_bounds_and_the_other_way_round(before: str, after: str) -> None:
    there, back = score(page(before), page(after)), score(page(after), page(before))
    for one in (there.view, there.form, there.content, there.total()):
        assert 0 <= one <= 1
    assert there.components == pytest.approx(back.components)
    assert (there.words_added, there.words_removed) == (back.words_removed, back.words_added)
    assert not score(page(before), page(before)).is_meaningful


@given(MARKUP, MARKUP)
def test_read_together_as_read_alone(before: str, after: str) -> None:
    """What two states have in common is read once, which must not show."""
    from ronda.change.reading import outlines_of

    both = outlines_of(page(before), page(after))
    assert both is not None
    for alone, together in zip((outline_of(page(before)), outline_of(page(after))), both, strict=True):
        assert alone is not None
        assert (alone.lines, alone.title, alone.links) == (together.lines, together.title, together.links)
        assert alone.fingerprint() == together.fingerprint()
        assert alone.shapes.total() == together.shapes.total()


@given(st.integers(1, 40), st.integers(1, 40))
def test_more_text_weighs_more(some: int, more: int) -> None:
    added = [" ".join(f"new{n}" for n in range(number)) for number in (some, some + more)]
    less, most = (score(page(), page(f"<p>{STORY}</p><p>{text}</p>")) for text in added)
    assert most.total() > less.total()


@given(
    st.binary(max_size=300),
    st.binary(max_size=300),
    st.sampled_from(["text/html", "application/xml", "application/json"]),
)
def test_any_bytes(before: bytes, after: bytes, mime: str) -> None:
    assert 0 <= score(Page(before, mime), Page(after, mime)).total() <= 1


@pytest.mark.parametrize(
    "piece", [*HOSTILE, "<!", "<![CDATA[", "<p class=", "<title>", "<script>", "a1-b2_c3"]
)
def test_hostile_pages_take_no_longer_than_others(piece: str) -> None:
    """The quadratic way would take hours."""
    for mime in ("text/html", "application/xml"):
        found = score(Page((piece * 20_000).encode(), mime), Page(("x" + piece * 19_999).encode(), mime))
        assert 0 <= found.total() <= 1


def test_a_template_is_told_by_where_most_pages_were_touched() -> None:
    footer, own = PageTouch(frozenset({"footer > p", "main > p"})), PageTouch(frozenset({"main > p.a"}))
    found = mass_of([footer] * 8 + [own], 10)
    assert found is not None
    assert (found.pages, found.part) == (8, "main > p") or found.part == "footer > p"
    assert mass_of([footer] * 8, 100) is None, "of a large site, not most pages"
    assert mass_of([footer] * 2, 2) is None, "too few to tell"
    assert mass_of([own, footer, PageTouch(frozenset({"x"})), PageTouch(frozenset({"y"}))], 4) is None
    alike = mass_of([PageTouch(frozenset({str(n)}), "form") for n in range(5)], 6)
    assert alike is not None
    assert (alike.pages, alike.part) == (5, "")
