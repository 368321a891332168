"""A page as far as a change of it is weighed: what is read, where that stands, how it looks and how it is built."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import NamedTuple

from ronda.change.levelling import is_token
from ronda.change.rules import Facet

# Of the elements a place stands in, the innermost so many tell it well enough.
MOST_SEGMENTS = 10
MOST_CLASSES = 4
# With fewer words than this, a page is what its scripts make of it.
LEAST_WORDS = 20

_DIGIT = re.compile(r"[0-9]")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z_-]*[0-9]{0,3}[A-Za-z_-]*", re.ASCII)


class Place:
    """Where something stands: the way of elements to it, without numbers. One object a place and `Places`."""

    __slots__ = ("_children", "_text", "parent", "segment", "shape")

    def __init__(self, parent: Place | None, segment: str, shape: int) -> None:
        self.parent = parent
        self.segment = segment
        self.shape = shape
        self._children: dict[str, Place] = {}
        self._text = ""

    @property
    def text(self) -> str:
        """As a CSS selector, from below the body: pages of one site differ in the classes of theirs."""
        if not self._text:
            segments: list[str] = []
            place: Place | None = self
            while place is not None and not _is_page(place.segment) and len(segments) < MOST_SEGMENTS:
                segments.append(place.segment)
                place = None if "#" in place.segment else place.parent
            self._text = " > ".join(reversed(segments))
        return self._text

    def around(self) -> Iterator[Place]:
        """Itself and the places it stands in, from the inside out."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.parent

    def __repr__(self) -> str:
        return self.text


class Places:
    """The places of pages that are compared with each other: equal ones are the same object."""

    def __init__(self) -> None:
        self.root = Place(None, "", 0)
        self._shapes: dict[tuple[int, str], int] = {}

    def inside(self, parent: Place, tag: str, segment: str) -> Place:
        found = parent._children.get(segment)
        if found is None:
            shape = self._shapes.setdefault((parent.shape, tag), len(self._shapes) + 1)
            found = parent._children[segment] = Place(parent, segment, shape)
        return found


def segment_of(tag: str, own_id: str, classes: str) -> str:
    """An element as a step of a selector; names that a machine made up are left out, as they may differ each time, and
    numbered ones, as each is that of one item of many."""
    if own_id and not _DIGIT.search(own_id) and _is_name(own_id):
        return f"{tag}#{own_id}"
    return _with_classes(tag, classes) if classes else tag


@lru_cache(maxsize=5_000)  # a site has few of them
def _with_classes(tag: str, classes: str) -> str:
    names = sorted(name for name in set(classes.split()) if _is_name(name))
    return ".".join([tag, *names[:MOST_CLASSES]])


def _is_page(segment: str) -> bool:
    return (
        not segment or segment in ("html", "body") or segment.startswith(("html.", "html#", "body.", "body#"))
    )


def _is_name(text: str) -> bool:
    return len(text) <= 60 and bool(_PLAIN_NAME.fullmatch(text)) and not is_token(text)


class Part(NamedTuple):
    """What can change by itself."""

    place: Place
    facet: Facet
    value: str


@dataclass
class Outline:
    """`lines` are what is read, in paragraphs, without what is ignored. `parts` as they stand on the page; they are
    found when somebody asks for them, as a score does not.

    `shapes`: how often each way of tags; `looks`: classes, styles and pictures; `sheets`: style sheets."""

    lines: list[str] = field(default_factory=list)
    shapes: Counter[int] = field(default_factory=Counter)
    looks: Counter[str] = field(default_factory=Counter)
    links: Counter[str] = field(default_factory=Counter)
    sheets: Counter[str] = field(default_factory=Counter)
    title: str = ""
    scripts: list[str] = field(default_factory=list)
    is_cut: bool = False
    find_parts: Callable[[], list[Part]] = list

    @cached_property
    def parts(self) -> list[Part]:
        return self.find_parts()

    @property
    def words(self) -> int:
        return sum(line.count(" ") + 1 for line in self.lines)

    def fingerprint(self) -> bytes:
        """Equal for two states that a reader takes for the same one."""
        digest = blake2b(digest_size=16)
        for bag in (self.looks, self.links, self.sheets):
            digest.update("\n".join(sorted(bag.elements())).encode("utf-8", "surrogatepass"))
            digest.update(b"\0")
        digest.update("\n".join([self.title, *self.lines]).encode("utf-8", "surrogatepass"))
        return digest.digest()
