"""What sitemaps and feeds name. Pure: read forgivingly, as many are not quite XML, and never expanding an entity."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from ronda.change.encodings import known_encoding

MOST_BYTES = 50 * 1024**2  # what the protocol of sitemaps allows
MOST_URLS = 50_000

# Bounded, so that a file of a million opened tags takes no longer than another.
_LOC = re.compile(r"<(?:\w{1,20}:)?loc\s{0,9}>([^<]{1,2100}|\s{0,9}<!\[CDATA\[[^<]{1,2100})</", re.IGNORECASE)
_IS_INDEX = re.compile(r"<(?:\w{1,20}:)?sitemapindex[\s>]", re.IGNORECASE)
_RSS_LINK = re.compile(
    r"<(?:link|guid)(?:\s[^>]{0,200})?>\s{0,99}(?:<!\[CDATA\[\s{0,99})?(https?://[^<\]\s]{1,2100})",
    re.IGNORECASE,
)
_ATOM_LINK = re.compile(
    r"<(?:\w{1,20}:)?link\s[^>]{0,300}?href\s{0,9}=\s{0,9}[\"']([^\"'<>]{1,2100})", re.IGNORECASE
)
_PLAIN_URL = re.compile(r"^\s*(https?://\S+)\s*$", re.MULTILINE)
_DECLARED = re.compile(rb"""^<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']""")


@dataclass(frozen=True)
class Sitemap:
    """`is_index`: it names other sitemaps."""

    urls: tuple[str, ...]
    is_index: bool = False


def read_sitemap(body: bytes) -> Sitemap:
    """XML or one URL a line, packed or not."""
    text = _text_of(_unpacked(body))
    urls = _first_of(_location(found[1]) for found in _LOC.finditer(text))
    if urls or "<" in text[:200]:
        return Sitemap(urls, bool(_IS_INDEX.search(text)))
    return Sitemap(_first_of(found[1] for found in _PLAIN_URL.finditer(text)))


def read_feed(body: bytes) -> tuple[str, ...]:
    """The pages an RSS or Atom feed speaks of."""
    text = _text_of(_unpacked(body))
    rss = (unescape(found[1]) for found in _RSS_LINK.finditer(text))
    atom = (unescape(found[1]) for found in _ATOM_LINK.finditer(text))
    return _first_of(url for links in (rss, atom) for url in links)


def _location(text: str) -> str:
    inner = text.strip()
    if inner.startswith("<![CDATA["):
        return inner.removeprefix("<![CDATA[").removesuffix("]]>")
    return unescape(inner)


def _first_of(urls: Iterator[str]) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for url in urls:
        seen.setdefault(url.strip())
        if len(seen) >= MOST_URLS:
            break
    return tuple(seen)


def _unpacked(body: bytes) -> bytes:
    """A .gz file, as far as the cap; what is broken is given as far as it goes."""
    if not body.startswith(b"\x1f\x8b"):
        return body[:MOST_BYTES]
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(body, MOST_BYTES)
    except zlib.error:
        return b""


def _text_of(body: bytes) -> str:
    declared = _DECLARED.match(body.lstrip()[:200])
    encoding = known_encoding(declared[1].decode()) if declared else ""
    return body.decode(encoding or "utf-8", "replace").removeprefix("\ufeff")
