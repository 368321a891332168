"""Sitemaps and feeds as they are found, broken ones too."""

from __future__ import annotations

import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.rounds.sitemaps import read_feed, read_sitemap

URLSET = b"""<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc> https://a.example/?x=1&amp;y=2 </loc>
 <lastmod>2026-01-01</lastmod></url><url><loc><![CDATA[https://a.example/b]]></loc></url></urlset>"""
INDEX = b"<sitemapindex><sitemap><loc>https://a.example/s1.xml.gz</loc></sitemap></sitemapindex>"


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_sitemap(packed: type[bytes]) -> None:
    sitemap = read_sitemap(packed(URLSET))
    assert sitemap.urls == ("https://a.example/?x=1&y=2", "https://a.example/b")
    assert not sitemap.is_index


def test_index_and_text() -> None:
    assert read_sitemap(INDEX).is_index
    assert read_sitemap(INDEX).urls == ("https://a.example/s1.xml.gz",)
    assert (
        read_sitemap(b"\xef\xbb\xbfhttps://a.example/1\r\nhttps://a.example/2\n").urls[1]
        == "https://a.example/2"
    )
    assert read_sitemap(b"<!doctype html><p>Not found").urls == ()
    assert read_sitemap(gzip.compress(URLSET)[:40]).urls == ()


@pytest.mark.parametrize("name", [b"hex", b"zlib", b"undefined", b"utf-8", b"ISO-8859-1"])
def test_whatever_encoding_it_claims(name: bytes) -> None:
    claimed = b'<?xml version="1.0" encoding="' + name + b'"?>' + INDEX
    assert read_sitemap(claimed).urls == ("https://a.example/s1.xml.gz",)


def test_feeds() -> None:
    rss = b"<rss><channel><link>https://a.example/</link><item><link><![CDATA[https://a.example/1]]></link>"
    rss += b'<guid isPermaLink="true">https://a.example/g</guid></item></channel></rss>'
    assert read_feed(rss) == ("https://a.example/", "https://a.example/1", "https://a.example/g")
    atom = b'<feed><entry><link rel="alternate" href="https://a.example/1?a=1&amp;b=2"/></entry>'
    atom += b"<entry><link href='/2'/></entry></feed>"
    assert read_feed(atom) == ("https://a.example/1?a=1&b=2", "/2")


@given(st.binary(max_size=2000))
def test_any_bytes(body: bytes) -> None:
    read_sitemap(body)
    read_sitemap(b"\x1f\x8b" + body)
    read_feed(body)


@pytest.mark.parametrize("piece", [b"<loc>", b"<link ", b"<link>https://a", b"<loc><![CDATA["])
def test_hostile_lists_are_read_in_time(piece: bytes) -> None:
    began = time.process_time()
    read_sitemap(piece * 200_000)
    read_feed(piece * 200_000)
    assert time.process_time() - began < 20


def test_bomb() -> None:
    assert read_sitemap(gzip.compress(b" " * 200_000_000, 9)).urls == ()
