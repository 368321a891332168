"""Which encoding a page's bytes are in. Pure.

Names come from strangers, and to Python some mean no text at all ("hex", "zlib") or an error ("undefined"): only the
encodings that browsers know are taken by their word.
"""

from __future__ import annotations

import re

from resiliparse.parse.encoding import bytes_to_str, detect_encoding, map_encoding_to_html5

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE | re.ASCII)


def known_encoding(name: str) -> str:
    """As Python calls it; nothing if browsers know none of that name."""
    return str(map_encoding_to_html5(name, fallback_utf8=False) or "")


def charset_in(content_type: str) -> str:
    """The encoding a Content-Type names; nothing if it names none that is known."""
    found = _CHARSET.search(content_type)
    return known_encoding(found[1]) if found else ""


def encoding_of(body: bytes, charset: str = "", *, is_markup: bool = True) -> str:
    """By the header, then by the page's own word, then by looking at it."""
    return known_encoding(charset) or str(detect_encoding(body, from_html_meta=is_markup) or "utf-8")


def text_in(body: bytes, encoding: str) -> str:
    return str(bytes_to_str(body, encoding, errors="replace"))
