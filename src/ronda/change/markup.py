"""HTML as texts and runs of tags, in one pass however broken it is.

No tree: trees of hostile markup (a hundred thousand open divs) take minutes to build, and a comparison needs none.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

# Every piece is matched atomically, so that nothing is tried twice; what is never closed reaches to the end, as in a
# browser.
_INSIDE = r"""(?>[^>"']++|"[^"]*+"|'[^']*+')*+"""
_TAG_NAME = r"[a-zA-Z][^\s/>]*+"


def _in_any_case(name: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" for letter in name)


def _raw_element(name: str) -> str:
    """Up to its end tag, which is all that can stand in it."""
    end = f"/{_in_any_case(name)}"
    return rf"{_in_any_case(name)}(?=[\s/>]){_INSIDE}>(?:[^<]++|<(?!{end}))*+"


_RAW_NAMES = ("script", "style", "textarea", "title", "iframe", "noembed", "xmp")
_TAG = "<(?:{})".format(
    "|".join(
        [
            rf"/{_TAG_NAME}{_INSIDE}>",
            *map(_raw_element, _RAW_NAMES),
            rf"{_TAG_NAME}{_INSIDE}>",
            r"!--(?:[^-]++|-(?!->))*+(?:-->)?+",
            r"(?:[!?]|/(?![a-zA-Z]))[^>]*+>?+",
            r"(?=[a-zA-Z/])(?s:.*)",
        ]
    )
)
_RUN = re.compile(rf"({_TAG}(?:\s*+{_TAG})*+)", re.ASCII)
_PIECE = re.compile(rf"\s++|{_TAG}", re.ASCII)
_READ = re.compile(
    rf"</({_TAG_NAME}){_INSIDE}>"
    rf"|<((?:{'|'.join(map(_in_any_case, _RAW_NAMES))})(?=[\s/>]){_INSIDE})>((?s:.*))"
    rf"|<({_TAG_NAME}{_INSIDE})>",
    re.ASCII,
)
_END, _RAW, _INNER, _START = 1, 2, 3, 4
_NAME = re.compile(r"[^\s/>]+")
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]++)(?:\s*+=\s*+(?>"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")
MOST_ATTRIBUTES_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Shared by all tags that are written alike, and the same as itself only: its attributes are not to be changed."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)


class End(NamedTuple):
    tag: str


class Text(NamedTuple):
    """`is_raw`: what stands inside a script or a style, which nobody reads."""

    text: str
    is_raw: bool = False


Token = Start | End | Text


def texts_and_runs(markup: str) -> list[str]:
    """Texts, as they are written, at even places; at odd ones runs of tags with nothing but blanks between them.

    Pages say the same runs over and over: who knows what one does need not read it again."""
    return _RUN.split(markup)


def tokens_of_run(run: str) -> list[Token]:
    found: list[Token] = []
    for piece in _PIECE.findall(run):
        one = _READ.match(piece)
        if one is None:
            if piece.isspace():
                found.append(Text(piece))
        elif one.lastindex == _START:
            found.append(_start(one[_START]))
        elif one.lastindex == _END:
            found.append(_end(one[_END]))
        else:
            found += _raw(one[_RAW], one[_INNER])
    return found


def tokens(markup: str) -> list[Token]:
    found: list[Token] = []
    for number, piece in enumerate(texts_and_runs(markup)):
        if number % 2:
            found += tokens_of_run(piece)
        elif piece:
            found.append(Text(html.unescape(piece)))
    return found


def _raw(inside: str, inner: str) -> list[Token]:
    start = _start(inside)
    is_read = start.tag in ("title", "textarea")
    return [start, Text(html.unescape(inner) if is_read else inner, is_raw=not is_read)]


@lru_cache(maxsize=20_000)  # two states of a page have most of their tags in common
def _start(inside: str) -> Start:
    """`inside`: what stands between the brackets."""
    name = _NAME.match(inside)
    end = name.end() if name else len(inside)
    return Start(inside[:end].lower(), _attributes(inside[end:]))


@lru_cache(maxsize=1_000)
def _end(name: str) -> End:
    return End(name.lower())


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text[:MOST_ATTRIBUTES_CHARACTERS]):
        # The first of a name counts, as in a browser.
        found.setdefault(name.lower(), html.unescape(double or single or bare))
    return found
