"""What pages refer to, as text and by what it is for; and a rough reading of pages no parser is made for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

# Browsers stop at 512; the parser takes time by the square of it.
DEEPEST = 1000


class Kind(StrEnum):
    """What a reference is for."""

    LINK = "link"
    REQUISITE = "requisite"
    FEED = "feed"
    MOVED = "moved"  # the page itself is elsewhere


@dataclass(frozen=True)
class Reference:
    text: str
    kind: Kind


@dataclass(frozen=True)
class References:
    """`base`: where references are counted from, if the page says so."""

    found: tuple[Reference, ...]
    base: str = ""


_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_LEADING = re.compile(
    r"<(a|area|img|script|iframe|frame|embed|link)\b[^<>]{0,2000}?\b(?:href|src)\s{0,9}=\s{0,9}"
    r"""(?:"([^"<>]{1,2048})"|'([^'<>]{1,2048})'|([^"'<>\s]{1,2048}))""",
    re.IGNORECASE,
)
# Their ends may be left out, or they have none.
_NEVER_DEEP = frozenset(
    ["p", "li", "td", "th", "tr", "dt", "dd", "option", "optgroup", "thead", "tbody", "tfoot", "colgroup", "rp", "rt",
     "html", "head", "body", "a", "img", "br", "hr", "input", "meta", "link", "source", "area", "base", "col", "embed",
     "track", "wbr", "param"]
)  # fmt: skip


def is_nested_beyond_reason(text: str) -> bool:
    if text.count("<") <= DEEPEST:
        return False
    depth = 0
    for tag in _TAG.finditer(text):
        if tag[2].lower() not in _NEVER_DEEP:
            depth = max(0, depth - 1) if tag[1] else depth + 1
            if depth > DEEPEST:
                return True
    return False


def rough_references(text: str) -> Iterator[Reference]:
    """Links and the most usual parts, by pattern alone: in time, whatever the page does."""
    for found in _LEADING.finditer(text):
        kind = Kind.LINK if found[1].lower() in ("a", "area") else Kind.REQUISITE
        yield Reference(found[2] or found[3] or found[4] or "", kind)
