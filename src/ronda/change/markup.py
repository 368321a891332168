"""HTML as a stream of tags and text, in one pass however broken it is.

No tree: trees of hostile markup (a hundred thousand open divs) take minutes to build, and a comparison needs none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

# Atomic, so that nothing is tried twice; a tag that is never closed reaches to the end, as in a browser.
_TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)((?>[^>"']++|"[^"]*+"|'[^']*+')*+)>""")
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]++)(?:\s*+=\s*+(?>"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")
_RAW = frozenset({"script", "style", "textarea", "title", "iframe", "noembed", "xmp"})
MOST_ATTRIBUTES_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Start:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class End:
    tag: str


@dataclass(frozen=True, slots=True)
class Text:
    """`is_raw`: what stands inside a script or a style, which nobody reads."""

    text: str
    is_raw: bool = False


Token = Start | End | Text


def tokens(markup: str) -> Iterator[Token]:
    lowered = markup.lower()
    if len(lowered) != len(markup):
        # Characters whose lower form is longer would move the positions; they are rare, and only case is lost.
        markup = lowered
    position = begin = 0
    while (start := markup.find("<", position)) >= 0:
        following = markup[start + 1 : start + 2]
        if not (following.isascii() and following.isalpha()) and following not in ("/", "!", "?"):
            position = start + 1  # a plain "less than"
            continue
        if begin < start:
            yield Text(html.unescape(markup[begin:start]))
        position = begin = yield from _tag(markup, lowered, start)
    if begin < len(markup):
        yield Text(html.unescape(markup[begin:]))


def _tag(markup: str, lowered: str, start: int) -> Generator[Token, None, int]:
    """What begins at `start`; returns where the text goes on."""
    if markup.startswith("<!--", start):
        return _behind(markup, "-->", start + 4)
    if markup[start + 1] in "!?" or (
        markup[start + 1] == "/" and not markup[start + 2 : start + 3].isalpha()
    ):
        return _behind(markup, ">", start)
    found = _TAG.match(markup, start)
    if not found:
        return len(markup)
    tag = found[2].lower()
    if found[1]:
        yield End(tag)
        return found.end()
    yield Start(tag, _attributes(found[3]))
    if tag not in _RAW:
        return found.end()
    closing = lowered.find(f"</{tag}", found.end())
    closing = len(markup) if closing < 0 else closing
    is_read = tag in ("title", "textarea")
    inner = markup[found.end() : closing]
    yield Text(html.unescape(inner) if is_read else inner, is_raw=not is_read)
    return closing


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text[:MOST_ATTRIBUTES_CHARACTERS]):
        # The first of a name counts, as in a browser.
        found.setdefault(name.lower(), html.unescape(double or single or bare))
    return found


def _behind(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)
