"""Two states of a page: everything that changed is told, nothing is lost, and nothing takes for ever."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.change.documents import MOST_BYTES, MOST_LINES
from ronda.change.markup import texts_and_runs
from ronda.change.pages import Page, PageChange, Reading, compare
from ronda.change.reading import outline_of, outlines_of
from ronda.change.texts import Kind, compare_lines, compare_words, share_of_change

HOME = "http://a.example/news/"
BEFORE = """<!doctype html><html><head><title>News</title><meta name="description" content="daily">
<link rel="stylesheet" href="/site.css"><script src="old.js"></script></head><body>
<nav><a href="/">Home</a> <a href="/old">Old</a></nav>
<h1>News of today</h1><div id="a"><p>The quick brown fox.</p></div>
<p>It rains.</p><p>Gone tomorrow.</p><img src="photo.png">
<aside><b id="moves">Moves</b></aside></body></html>"""
AFTER = """<!doctype html><html><head><title>News!</title><meta name="description" content="hourly">
<link rel="stylesheet" href="/site.css"><script src="new.js"></script></head><body>
<nav><a href="/">Home</a> <a href="new?x=1">New</a></nav>
<h1>News of today</h1><div id="a"><p>The quick red fox.</p></div>
<p>It rains.</p><h2>Sports</h2><p>Somebody won.</p><img src="photo.png">
<footer><b id="moves">Moves</b></footer></body>"""


def changed(before: str, after: str, mime: str = "text/html") -> PageChange:
    return compare(Page(before.encode(), mime, HOME), Page(after.encode(), mime, HOME))


def test_everything_that_changed() -> None:
    def digests(value: str):  # type: ignore[no-untyped-def]
        return lambda urls: {url: value if url.endswith("photo.png") else "same" for url in urls}

    change = compare(
        Page(BEFORE.encode(), url=HOME, digests=digests("1")),
        Page(AFTER.encode(), url=HOME, digests=digests("2")),
    )
    kinds = {(row.kind, row.before, row.after) for row in change.rows}
    assert (Kind.CHANGED, "The quick brown fox.", "The quick red fox.") in kinds
    assert (Kind.REMOVED, "Gone tomorrow.", None) in kinds
    assert (Kind.ADDED, None, "Somebody won.") in kinds
    assert (Kind.SAME, "It rains.", "It rains.") in kinds
    assert [(link.url, link.text) for link in change.links_added] == [
        ("http://a.example/news/new?x=1", "New")
    ]
    assert [link.url for link in change.links_removed] == ["http://a.example/old"]
    assert {(asset.what, asset.kind, asset.url.rpartition("/")[2]) for asset in change.assets} == {
        (Kind.REMOVED, "script", "old.js"),
        (Kind.ADDED, "script", "new.js"),
        (Kind.CHANGED, "image", "photo.png"),
    }
    wordings = {wording.name: (wording.before, wording.after) for wording in change.structure.wordings}
    assert wordings == {"title": ("News", "News!"), "description": ("daily", "hourly")}
    assert change.structure.headings_added == ("Sports",)
    assert change.structure.moved == 1
    assert change.structure.added["html/body/h2"] == 1
    assert 0 < change.share < 1


def test_words_within_a_line() -> None:
    pieces = [
        (piece.kind.value, piece.text) for piece in compare_words("a quick brown fox", "a quick red fox!")
    ]
    assert pieces == [
        ("same", "a quick "), ("removed", "brown"), ("added", "red"), ("same", " fox"), ("added", "!"),
    ]  # fmt: skip


def test_an_inserted_line_does_not_turn_its_neighbours_over() -> None:
    rows = compare_lines(["we meet on Monday at ten", "bye"], ["news!", "we meet on Friday at ten", "bye"])
    assert [row.kind for row in rows] == [Kind.ADDED, Kind.CHANGED, Kind.SAME]


def test_json_is_compared_by_structure() -> None:
    one, other = {"a": 1, "b": [1, 2]}, {"b": [1, 3], "a": 1}
    same = changed(json.dumps(one), json.dumps(dict(reversed(one.items())), indent=8), "application/json")
    assert same.share == 0
    rows = changed(json.dumps(one), json.dumps(other), "application/json").rows
    assert [(row.before, row.after) for row in rows if row.kind != Kind.SAME] == [
        ("    2", None),
        (None, "    3"),
    ]


def test_what_is_no_text_is_told_by_digest_alone() -> None:
    change = compare(Page(b"\x89PNG1", "image/png"), Page(b"\x89PNG2", "image/png"))
    assert (change.reading, change.share, change.rows) == (Reading.DIGEST, 1.0, ())
    assert compare(Page(b"x", "image/png"), Page(b"x", "image/png")).is_same


def test_encodings_of_old() -> None:
    latin = '<meta charset="iso-8859-1"><p>mañana</p>'.encode("latin-1")
    assert changed(latin.decode("latin-1"), "").rows[0].before == "mañana"
    assert compare(Page(latin), Page(b"")).rows[0].before == "mañana"


def test_scripts_and_hidden_parts_are_no_text() -> None:
    hidden = "<script>a<b>c</script><style>p{}</style><!-- no --><noscript>no</noscript>"
    assert changed(f"<p>yes{hidden}</p>", "<p>yes</p>").counts.lines_changed == 0


words = st.sampled_from(["", "a", "b", "a b", "b a", "a b c", "the fox", "the red fox"])
lines = st.lists(words, max_size=25)


@given(lines, lines)
def test_both_sides_can_be_read_off(before: list[str], after: list[str]) -> None:
    rows = compare_lines(before, after)
    assert [row.before for row in rows if row.before is not None] == before
    assert [row.after for row in rows if row.after is not None] == after
    for row in rows:
        if row.kind == Kind.CHANGED:
            assert "".join(p.text for p in row.pieces if p.kind != Kind.ADDED) == row.before
            assert "".join(p.text for p in row.pieces if p.kind != Kind.REMOVED) == row.after
    assert 0 <= share_of_change(rows) <= 1
    assert (share_of_change(rows) == 0) == (before == after)


@given(lines, lines)
def test_the_other_way_round(before: list[str], after: list[str]) -> None:
    there, back = (
        Counter(row.kind for row in compare_lines(*pair)) for pair in ((before, after), (after, before))
    )
    assert there[Kind.ADDED] == back[Kind.REMOVED]
    assert there[Kind.REMOVED] == back[Kind.ADDED]
    assert there[Kind.CHANGED] == back[Kind.CHANGED]


@given(
    st.binary(max_size=400),
    st.binary(max_size=400),
    st.sampled_from(["text/html", "text/plain", "application/json"]),
)
def test_any_bytes(before: bytes, after: bytes, mime: str) -> None:
    there = compare(Page(before, mime, HOME), Page(after, mime, HOME))
    back = compare(Page(after, mime, HOME), Page(before, mime, HOME))
    assert 0 <= there.share <= 1
    assert there.share == pytest.approx(back.share)
    assert (there.counts.links_added, there.counts.elements_added) == (
        back.counts.links_removed,
        back.counts.elements_removed,
    )
    assert compare(Page(before, mime), Page(before, mime)).share == 0


@given(st.text("<>/!-ab \"'=&;", max_size=80), st.text("<>/!-ab \"'=&;", max_size=80))
def test_any_markup(before: str, after: str) -> None:
    assert 0 <= changed(before, after).share <= 1


HOSTILE = (
    "<div>",
    "<script",
    "<",
    "<!--",
    "</",
    "<a ",
    '<a "',
    "&amp",
    "<svg><svg/",
    "İ",
    "<p>x",
    "<a href=x>",
    "[",
    "<td>1<tr>",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_are_read_in_one_pass(piece: str) -> None:
    """The quadratic way would take hours."""
    change = changed(piece * 20_000, "x" + piece * 19_999)
    assert 0 <= change.share <= 1


def test_large_pages_with_little_in_common() -> None:
    """A megabyte each, few different lines in another order: what a plain diff takes minutes for."""
    dice = random.Random(1)
    before, after = ("\n".join(dice.choice("abcdefghij") * 20 for _ in range(50_000)) for _ in range(2))
    change = changed(before, after, "text/plain")
    assert change.is_cut
    assert sum(row.before is not None for row in change.rows) == MOST_LINES
    assert changed("a" * (MOST_BYTES + 1), "b", "text/plain").is_cut


BITS = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<title>",
        "<b>",
        "<div class='a'>",
        "</div>",
        "</textarea>",
        "\x1e",
        "<a b='c'",
        ">",
        '"',
        "x",
        "&amp;",
        "<",
    ]
)
SOME = st.lists(BITS, max_size=8).map("".join)


@given(SOME, SOME, SOME, SOME)
def test_two_states_are_read_together_as_each_alone(start: str, one: str, other: str, end: str) -> None:
    before, after = (Page((start * 3 + some + end * 3).encode()) for some in (one, other))
    together = outlines_of(before, after)
    assert together
    for page, found in zip((before, after), together, strict=True):
        alone = outline_of(page)
        assert alone
        assert found.fingerprint() == alone.fingerprint()
        assert sorted(found.shapes.values()) == sorted(alone.shapes.values())
        assert [(part.place.text, part.value) for part in found.parts] == [
            (part.place.text, part.value) for part in alone.parts
        ]


@given(SOME)
def test_nothing_of_the_markup_is_lost(markup: str) -> None:
    assert "".join(texts_and_runs(markup)) == markup
