"""Whether a feed or a sitemap has news: a fingerprint of what it names, not of when it was written. Pure."""

from __future__ import annotations

import hashlib
import re
import zlib

MOST_BYTES = 8 * 1024**2

# Bounded, as in `sitemaps`: hostile files take no longer than others.
_ENTRY = re.compile(rb"<(?:item|entry|url|sitemap)[\s>]", re.IGNORECASE)
_TELLING = re.compile(
    rb"<(loc|lastmod|link|guid|id|title|updated|pubDate|dc:date)\b[^>]{0,500}>[^<]{0,2100}", re.IGNORECASE
)
_BLANKS = re.compile(rb"\s+")


def fingerprint(body: bytes) -> str:
    """Equal while its entries are: a channel's own lastBuildDate says only when the file was written."""
    body = _unpacked(body)
    first = _ENTRY.search(body)
    entries = body[first.start() :] if first else body
    digest = hashlib.blake2b(digest_size=16)
    for found in _TELLING.finditer(entries):
        digest.update(_BLANKS.sub(b" ", found[0]).strip() + b"\n")
    return digest.hexdigest()


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body[:MOST_BYTES]
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(body, MOST_BYTES)
    except zlib.error:
        return b""
