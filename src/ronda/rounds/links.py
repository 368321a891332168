"""What a page leads to and is made of: references in HTML and CSS, as text, in the order they stand. Pure.

Scripts are not guessed at: that floods sites with requests for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from resiliparse.parse.html import DOMNode, HTMLTree

from ronda.change.encodings import charset_in, encoding_of, text_in
from ronda.rounds.references import Kind, Reference, References, is_nested_beyond_reason, rough_references

# A page with more is a trap, or a list that a sitemap would give better.
MOST_REFERENCES = 20_000
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
CSS_TYPES = frozenset({"text/css"})


_CSS_URL = re.compile(
    r"""url\(\s*(?:"([^"\n]{1,2048})"|'([^'\n]{1,2048})'|([^"'()\s]{1,2048}))\s*\)""", re.IGNORECASE
)
_CSS_IMPORT = re.compile(r"""@import\s+(?:"([^"\n]{1,2048})"|'([^'\n]{1,2048})')""", re.IGNORECASE)
_REFRESH = re.compile(r"""^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)
# Schemes that are never fetched; everything else is for the canonical form to judge.
_IGNORED = re.compile(
    r"\s*(?:#|(?:javascript|data|mailto|tel|sms|about|blob|ftp|file|ws|wss|irc|magnet):)", re.IGNORECASE
)

_REQUISITE_RELS = frozenset(
    {
        "stylesheet",
        "icon",
        "apple-touch-icon",
        "mask-icon",
        "manifest",
        "preload",
        "modulepreload",
        "image_src",
    }
)
_LINK_RELS = frozenset({"next", "prev", "canonical", "alternate", "start", "contents", "index", "license"})
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_REQUISITE_SOURCES = {
    "img": "src", "script": "src", "iframe": "src", "frame": "src", "embed": "src", "audio": "src", "video": "src",
    "source": "src", "track": "src", "input": "src", "object": "data", "image": "href", "use": "href",
}  # fmt: skip
_SELECTOR = (
    "a[href],area[href],link[href],meta[http-equiv],img,script[src],iframe[src],frame[src],embed[src],audio[src],"
    "video,source,track[src],input[src],object[data],image,use,style,[style],[background],base[href]"
)


def references_in(body: bytes, *, mime: str, content_type: str) -> References:
    """Of an HTML page or a style sheet; of anything else, none."""
    if mime in CSS_TYPES:
        return References(_unique(_in_css(_text_of(body, content_type))))
    if mime not in HTML_TYPES:
        return References(())
    text = _text_of(body, content_type)
    if is_nested_beyond_reason(text):
        return References(_unique(rough_references(text)))
    tree = HTMLTree.parse(text)
    base = ""
    found: list[Reference] = []
    for element in tree.document.query_selector_all(_SELECTOR):
        if element.tag == "base":
            base = base or (element.getattr("href") or "").strip()
        else:
            found.extend(reference for reference in _in_element(element) if reference.text)
        if len(found) > MOST_REFERENCES:
            break
    return References(_unique(iter(found)), base)


def _text_of(body: bytes, content_type: str) -> str:
    return text_in(body, encoding_of(body, charset_in(content_type))).replace("\0", "")


def _unique(references: Iterator[Reference]) -> tuple[Reference, ...]:
    seen: dict[str, Reference] = {}
    for reference in references:
        text = reference.text.strip()
        if text and not _IGNORED.match(text):
            seen.setdefault(text, Reference(text, reference.kind))
        if len(seen) >= MOST_REFERENCES:
            break
    return tuple(seen.values())


def _in_element(element: DOMNode) -> Iterator[Reference]:
    tag = element.tag
    if tag in ("a", "area"):
        yield Reference(element.getattr("href") or "", Kind.LINK)
    elif tag == "link":
        yield from _in_link(element)
    elif tag == "meta":
        yield from _in_meta(element)
    elif tag == "style":
        yield from _in_css(element.text)
    elif tag in _REQUISITE_SOURCES:
        yield Reference(element.getattr(_REQUISITE_SOURCES[tag]) or "", Kind.REQUISITE)
        yield Reference(element.getattr("poster") or element.getattr("xlink:href") or "", Kind.REQUISITE)
        yield from _in_srcset(element.getattr("srcset") or "")
    if style := element.getattr("style"):
        yield from _in_css(style)
    if background := element.getattr("background"):
        yield Reference(background, Kind.REQUISITE)


def _in_link(element: DOMNode) -> Iterator[Reference]:
    rels = set((element.getattr("rel") or "").lower().split())
    href = element.getattr("href") or ""
    if "alternate" in rels and (element.getattr("type") or "").lower().startswith(_FEED_TYPES):
        yield Reference(href, Kind.FEED)
    elif rels & _REQUISITE_RELS:
        yield Reference(href, Kind.REQUISITE)
        yield from _in_srcset(element.getattr("imagesrcset") or "")
    elif rels & _LINK_RELS:
        yield Reference(href, Kind.LINK)


def _in_meta(element: DOMNode) -> Iterator[Reference]:
    if (element.getattr("http-equiv") or "").strip().lower() == "refresh" and (
        target := _REFRESH.match(element.getattr("content") or "")
    ):
        yield Reference(target[1], Kind.MOVED)


def _in_srcset(text: str) -> Iterator[Reference]:
    """Candidates stand between commas; a URL may hold commas itself, but no blanks, and does not end with one."""
    is_url_next = True
    for word in text.split():
        if is_url_next:
            yield Reference(word.strip(","), Kind.REQUISITE)
            is_url_next = word.endswith(",")
        else:
            _, comma, rest = word.partition(",")
            if rest:  # "1x,b.png 2x"
                yield Reference(rest.strip(","), Kind.REQUISITE)
            is_url_next = bool(comma) and (not rest or rest.endswith(","))


def _in_css(text: str) -> Iterator[Reference]:
    plain = _without_comments(text)
    for pattern in (_CSS_IMPORT, _CSS_URL):
        for found in pattern.finditer(plain):
            yield Reference(next((group for group in found.groups() if group), ""), Kind.REQUISITE)


def _without_comments(text: str) -> str:
    """By hand: a pattern would begin again at each of a million comments that never end."""
    kept, end = [], 0
    while (start := text.find("/*", end)) >= 0:
        kept.append(text[end:start])
        end = text.find("*/", start + 2) + 2
        if end < 2:
            return "".join(kept)
    return "".join([*kept, text[end:]])
