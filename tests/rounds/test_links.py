"""What pages lead to and are made of, however they are written."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.rounds.links import references_in
from ronda.rounds.references import Kind

PAGE = """<!doctype html><html><head><base href="/below/"><title>x</title>
<link rel="stylesheet" href="style.css"><link rel="icon" href="/icon.png"><link rel="canonical" href="/canonical">
<link rel="alternate" type="application/rss+xml" href="feed.xml"><link rel="alternate" hreflang="en" href="/en/">
<link rel="dns-prefetch" href="//elsewhere.example">
<meta http-equiv="Refresh" content="5; URL='/moved'">
<style>@import "import.css"; body { background: url( 'bg.png' ) } /* url(commented.png) */</style>
<script src="code.js"></script><script>location = "/guessed"</script></head>
<body background="body.png" style="background:url(&quot;inline.png&quot;)">
<a href="link">l</a><a href="#part">p</a><a href="javascript:void(0)">j</a><a href=" JavaScript:x()">j</a>
<a href="mailto:a@example.org">m</a><a href="data:text/html,x">d</a><a href="tel:1">t</a><a>none</a><area href="area">
<img src="one.png" srcset="two.png 1x,three.png 2x, four,five.png 3x"><img src="data:image/png;base64,AA==">
<picture><source srcset="six.webp 640w, seven.webp"></picture>
<video poster="poster.jpg" src="film.mp4"><track src="words.vtt"></video><audio><source src="sound.ogg"></audio>
<iframe src="frame.html"></iframe><object data="object.svg"></object><embed src="embed.swf">
<form action="/form"><input type="image" src="button.png"></form>
<svg><image href="in.svg.png"/><use xlink:href="sprite.svg#a"/></svg>
<a href="link">again</a></body></html>"""


def test_everything_a_page_names() -> None:
    references = references_in(PAGE.encode(), mime="text/html", content_type="text/html; charset=utf-8")
    assert references.base == "/below/"
    by_kind = {kind: {r.text for r in references.found if r.kind == kind} for kind in Kind}
    assert by_kind[Kind.LINK] == {"link", "area", "/canonical", "/en/"}
    assert by_kind[Kind.FEED] == {"feed.xml"}
    assert by_kind[Kind.MOVED] == {"/moved"}
    assert by_kind[Kind.REQUISITE] == {
        "style.css", "/icon.png", "import.css", "bg.png", "code.js", "body.png", "inline.png", "one.png", "two.png",
        "three.png", "four,five.png", "six.webp", "seven.webp", "poster.jpg", "film.mp4", "words.vtt", "sound.ogg",
        "frame.html", "object.svg", "embed.swf", "button.png", "in.svg.png", "sprite.svg#a",
    }  # fmt: skip


def test_style_sheet() -> None:
    text = b"""@charset "utf-8"; @import url("a.css") screen; @import 'b.css'; /* @import 'c.css'; */
    @font-face { src: url(d.woff2) format("woff2"), url('e.ttf') } i { background: URL(data:image/gif;base64,AA) }"""
    found = references_in(text, mime="text/css", content_type="text/css").found
    assert {r.text for r in found} == {"a.css", "b.css", "d.woff2", "e.ttf"}
    assert {r.kind for r in found} == {Kind.REQUISITE}


# To Python they are codecs, and not of text.
NO_TEXT = ("hex", "zlib", "undefined", "rot13", "base64", "idna", "unicode_escape")


@pytest.mark.parametrize(
    ("content_type", "encoding", "meta"),
    [
        ("text/html; charset=ISO-8859-1", "latin-1", ""),
        ("text/html", "latin-1", '<meta charset="iso-8859-1">'),
        ("text/html", "utf-8", ""),
        ('text/html; charset="utf-16le"', "utf-16le", ""),
        ("text/html; charset=nonsense", "utf-8", ""),
        *[(f"text/html; charset={name}", "utf-8", "") for name in NO_TEXT],
        *[("text/html", "utf-8", f'<meta charset="{name}">') for name in NO_TEXT],
    ],
)
def test_encodings(content_type: str, encoding: str, meta: str) -> None:
    page = f'<!doctype html><head>{meta}</head><p>El año y el niño, señor: mañana</p><a href="/página">x</a>'
    found = references_in(page.encode(encoding), mime="text/html", content_type=content_type).found
    assert [r.text for r in found] == ["/página"]


def test_other_types_are_not_read() -> None:
    assert not references_in(b'<a href="/x">', mime="image/png", content_type="image/png").found


@given(st.binary(max_size=2000))
def test_any_bytes_can_be_read(body: bytes) -> None:
    for mime in ("text/html", "text/css"):
        references_in(body, mime=mime, content_type=f"{mime}; charset=utf-8")


HOSTILE = {
    "comments that never end": ("text/css", b"/*" * 500_000),
    "url( without an end": ("text/css", b'url("' * 200_000),
    "nested beyond reason": ("text/html", b"<div>" * 100_000 + b'<a href="/x">'),
    "a million links": ("text/html", b"".join(b'<a href="/%d">' % n for n in range(100_000))),
    "srcset of commas": ("text/html", b'<img srcset="' + b", " * 500_000 + b'">'),
    "one tag of attributes": ("text/html", b"<a " + b"a=b " * 200_000 + b">"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_are_read_in_time(name: str) -> None:
    mime, body = HOSTILE[name]
    began = time.process_time()
    found = references_in(body, mime=mime, content_type=mime).found
    assert len(found) <= 20_001
    # Quadratic reading would take minutes.
    assert time.process_time() - began < 20
