"""Elements while a page is read: a start tag prepared once for all that are written alike, and what is open."""

from __future__ import annotations

from functools import lru_cache

from ronda.change.levelling import level_tokens
from ronda.change.markup import Start, Text
from ronda.change.outlines import Outline, Part, Place
from ronda.change.rules import Facet
from ronda.change.selectors import Reached

_VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
})  # fmt: skip
_SIBLINGS = frozenset(["p", "li", "dt", "dd", "tr", "td", "th", "option"])
# Those that do not end the line they stand in.
INLINE = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "input", "ins", "kbd", "label", "mark", "meter", "nobr", "output", "q", "rp",
    "rt", "ruby", "s", "samp", "small", "source", "span", "strike", "strong", "sub", "sup", "time",
    "tt", "u", "var", "wbr", "script", "style", "link", "meta",
})  # fmt: skip
_LOOKS = frozenset(
    {"class", "style", "bgcolor", "color", "align", "valign", "width", "height", "face", "size", "hidden"}
)
_LINKING = frozenset({"a", "area"})
_PICTURES = frozenset({"img", "input", "source", "video", "iframe", "embed"})
# What may stand in the head; anything else ends it, as its end tag may be left out.
_HEAD = frozenset(["title", "base", "link", "meta", "style", "script", "noscript", "template"])


class Kind:
    """What elements of one place have in common, whatever their addresses."""

    __slots__ = ("fitting", "segment", "tag")

    def __init__(self, tag: str, segment: str, fitting: int) -> None:
        self.tag = tag
        self.segment = segment
        self.fitting = fitting


class Tag:
    """A start tag, prepared once for all that are written alike."""

    __slots__ = ("href", "is_inline", "is_noted", "is_void", "kind", "look", "picture", "sheet", "tag")

    def __init__(self, start: Start, kind: Kind, is_xml: bool) -> None:
        tag, attributes = start.tag, start.attributes
        self.tag = tag
        self.kind = kind
        self.is_void = not is_xml and tag in _VOID
        self.is_inline = not is_xml and tag in INLINE
        self.href = self.picture = self.sheet = self.look = ""
        if attributes:
            if tag in _LINKING or (is_xml and tag == "link"):
                self.href = attributes.get("href", "")
            elif tag in _PICTURES:
                self.picture = attributes.get("src", "")
            elif tag == "link" and "stylesheet" in attributes.get("rel", "").lower().split():
                self.sheet = attributes.get("href", "")
            if not _LOOKS.isdisjoint(attributes):
                self.look = _look_of(tag, attributes)
        self.is_noted = bool(self.href or self.picture or self.sheet or self.look)


def _look_of(tag: str, attributes: dict[str, str]) -> str:
    found = sorted(name for name in attributes if name in _LOOKS)
    return " ".join([tag, *(f"{name}={_level_tokens(attributes[name])}" for name in found)])


_level_tokens = lru_cache(maxsize=5_000)(level_tokens)


def is_ended(last: str, tag: str) -> bool:
    """Whether an element ends the open one, whose end tag was left out."""
    return (last == tag and tag in _SIBLINGS) or (last == "head" and tag not in _HEAD)


class Frame:
    """An open element, and so all that are open around it. `levels`: the facets in which numbers do not count. `inner`:
    elements that were met in it, each the same for all that are written alike; `strides`: what runs of tags do here."""

    __slots__ = (
        "depth", "inner", "is_ignored", "is_plain", "is_unread", "levels", "parent", "place", "reached",
        "strides", "tag",
    )  # fmt: skip

    def __init__(self, parent: Frame | None, tag: str, place: Place, reached: Reached) -> None:
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 1
        self.tag = tag
        self.place = place
        self.reached = reached
        self.is_ignored = self.is_unread = False
        self.levels: frozenset[Facet] = frozenset()
        # Whether its text is taken as it stands.
        self.is_plain = True
        self.inner: dict[Kind, Frame] = {}
        self.strides: dict[str, Stride] = {}


class Stride:
    """What a run of tags does in a certain frame: where it leads, and what is met on the way.

    `said`: what it adds to the lines. `unread`: texts that are no part of them, with the element each stands in.
    `parts`: what can change by itself, in order; texts as they are written."""

    __slots__ = ("links", "looks", "parts", "said", "shapes", "sheets", "to", "unread")

    def __init__(self, to: Frame) -> None:
        self.to = to
        self.said = ""
        self.shapes: list[int] = []
        self.links: list[str] = []
        self.looks: list[str] = []
        self.sheets: list[str] = []
        self.unread: list[tuple[str, Text]] = []
        self.parts: list[Part | tuple[Frame, str]] = []

    def count(self, outline: Outline, number: int) -> None:
        """It was made so many times."""
        for shape in self.shapes:
            outline.shapes[shape] += number
        for link in self.links:
            outline.links[link] += number
        for look in self.looks:
            outline.looks[look] += number
        for sheet in self.sheets:
            outline.sheets[sheet] += number
