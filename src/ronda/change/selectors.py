"""CSS selectors, as far as they can be told while a page is read from its beginning: no tree, no looking ahead.

Understood are names of elements, `*`, `#id`, `.class`, `[attribute]`, `[attribute=value]` (also ~= ^= $= *= |=), joined
by blanks and `>`, several of them by commas. All selectors together are one number: a bit for each step of each of
them, so that an element costs a few operations however many selectors there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ronda.change.errors import SelectorLength, SelectorOpen, SelectorSteps, SelectorUnclear

LONGEST = 500
MOST_STEPS = 20

_NAME = r"-?[A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*+"
_PIECE = re.compile(
    rf"""(?P<tag>\*|{_NAME})|\#(?P<id>{_NAME})|\.(?P<class>{_NAME})
    |\[\s*(?P<attribute>{_NAME})\s*(?:(?P<how>[~^$*|]?=)\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s\]"']+))\s*)?\]""",
    re.VERBOSE,
)
_JOINT = re.compile(r"\s*(>)\s*|\s*(,)\s*|(\s+)")

ANY = "*"
Test = Callable[[Mapping[str, str]], bool]


@dataclass(frozen=True)
class Step:
    """One element of a selector. `is_child`: directly inside the one before it; else anywhere inside."""

    tag: str
    tests: tuple[Test, ...]
    is_child: bool

    def fits(self, attributes: Mapping[str, str]) -> bool:
        return all(test(attributes) for test in self.tests)


def parse(selector: str) -> list[list[Step]]:
    """The steps of each of its alternatives, from the outermost element on."""
    text = selector.strip()
    if not text or len(text) > LONGEST:
        raise SelectorLength(most=LONGEST)
    alternatives: list[list[Step]] = [[]]
    tag, tests, is_child, position = "", list[Test](), False, 0
    while position < len(text):
        if piece := _PIECE.match(text, position):
            if piece["tag"]:
                if tag or tests:
                    raise SelectorUnclear(piece=piece["tag"])
                tag = piece["tag"].lower()
            else:
                tests.append(_test(piece))
            position = piece.end()
            continue
        joint = _JOINT.match(text, position)
        if joint is None or not (tag or tests):
            raise SelectorUnclear(piece=text[position : position + 20])
        alternatives[-1].append(Step(tag or ANY, tuple(tests), is_child))
        tag, tests, is_child, position = "", [], bool(joint[1]), joint.end()
        if joint[2]:
            alternatives.append([])
    if not (tag or tests):
        raise SelectorOpen()
    alternatives[-1].append(Step(tag or ANY, tuple(tests), is_child))
    if sum(map(len, alternatives)) > MOST_STEPS:
        raise SelectorSteps(most=MOST_STEPS)
    return alternatives


def _test(piece: re.Match[str]) -> Test:
    if name := piece["id"]:
        return lambda attributes: attributes.get("id") == name
    if name := piece["class"]:
        return lambda attributes: name in attributes.get("class", "").split()
    name, how = piece["attribute"].lower(), piece["how"]
    wanted = next((piece[g] for g in ("double", "single", "bare") if piece[g] is not None), "")
    if how is None:
        return lambda attributes: name in attributes
    fits = _COMPARISONS[how]
    return lambda attributes: name in attributes and fits(attributes[name], wanted)


_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
}


# How far an element and those around it have come: the steps it can be itself, and those any of them can be.
Reached = tuple[int, int]
START: Reached = (0, 0)


class Matcher:
    """Many selectors at once; asked about each element on its way in."""

    def __init__(self, selectors: Sequence[str]) -> None:
        self._number = 0
        self._ends: dict[int, int] = {}
        self._first = self._child = self._anywhere = self._last = 0
        # By the tag they ask for, those that ask for no more, and the others.
        self._plain: dict[str, int] = {}
        self._choosy: dict[str, list[tuple[int, Step]]] = {}
        for number, selector in enumerate(selectors):
            for steps in parse(selector):
                self._add(number, steps)

    def _add(self, number: int, steps: list[Step]) -> None:
        for place, step in enumerate(steps):
            bit = 1 << self._number
            self._number += 1
            if place == 0:
                self._first |= bit
            elif step.is_child:
                self._child |= bit
            else:
                self._anywhere |= bit
            if step.tests:
                self._choosy.setdefault(step.tag, []).append((bit, step))
            else:
                self._plain[step.tag] = self._plain.get(step.tag, 0) | bit
        self._last |= bit
        self._ends[bit] = number

    def __bool__(self) -> bool:
        return self._number > 0

    def fitting(self, tag: str, attributes: Mapping[str, str]) -> int:
        """The steps an element can be, whatever is around it; the same for all that are written alike."""
        found = self._plain.get(tag, 0) | self._plain.get(ANY, 0)
        for name in (tag, ANY):
            for bit, step in self._choosy.get(name, ()):
                if step.fits(attributes):
                    found |= bit
        return found

    def enter(self, around: Reached, fitting: int) -> Reached:
        exact, inside = around
        allowed = self._first | (exact << 1 & self._child) | (inside << 1 & self._anywhere)
        here = fitting & allowed
        return here, inside | here

    def found(self, reached: Reached) -> list[int]:
        """The numbers of the selectors that mean this element."""
        hits = reached[0] & self._last
        return [number for bit, number in self._ends.items() if hits & bit] if hits else []
