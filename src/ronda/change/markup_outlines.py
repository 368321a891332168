"""Reads the outline of a page out of its markup, HTML or XML, in one pass; what is to be ignored never gets in."""

from __future__ import annotations

import re
from collections import Counter
from html import escape, unescape

from ronda.change.elements import Frame, Stride
from ronda.change.markup import Text, texts_and_runs
from ronda.change.outlines import LEAST_WORDS, Outline, Part, Places
from ronda.change.rules import Ignoring
from ronda.change.strides import LINE_END, Walker, part_of, read, titled

_CDATA = re.compile(r"<!\[CDATA\[((?s:.*?))(?:\]\]>|\Z)")


def outline(markup: str, ignoring: Ignoring, places: Places, *, is_xml: bool = False) -> Outline:
    reader = _Reader(Walker(ignoring, places, is_xml))
    reader.feed(_pieces(markup, is_xml))
    return reader.finished()


def outlines(
    before: str, after: str, ignoring: Ignoring, places: Places, *, is_xml: bool = False
) -> tuple[Outline, Outline]:
    """Of two states of a page; where they begin and end alike, both are read at once."""
    old, new = _pieces(before, is_xml), _pieces(after, is_xml)
    # Begins and ends with whole pairs of a text and a run; the last text has no run.
    start = _common_start(old, new) // 2 * 2
    ends = _common_start(old[start:][::-1], new[start:][::-1])
    ends -= ends > 0 and ends % 2 == 0
    first = _Reader(Walker(ignoring, places, is_xml))
    first.feed(old[:start])
    second = first.fork()
    first.feed(old[start : len(old) - ends])
    second.feed(new[start : len(new) - ends])
    tail = old[len(old) - ends :]
    if first.frame is second.frame:
        third = _Reader(first.walker)
        third.frame = first.frame
        third.feed(tail)
        first.extend(third)
        second.extend(third)
    else:
        first.feed(tail)
        second.feed(tail)
    return first.finished(), second.finished()


def _pieces(markup: str, is_xml: bool) -> list[str]:
    """What stands in CDATA is text."""
    pieces = texts_and_runs(_CDATA.sub(lambda found: escape(found[1]), markup) if is_xml else markup)
    if LINE_END in markup:  # in a text it is one blank of many
        pieces[::2] = [text.replace(LINE_END, " ") for text in pieces[::2]]
    return pieces


def _common_start(a: list[str], b: list[str]) -> int:
    """How many are the same, found by halves: comparing stretches costs next to nothing."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class _Reader:
    """Goes from run to run, and counts at the end what was met: each kind of stride once."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.frame = walker.root
        self.texts: list[str] = []
        self.strides: list[Stride] = []
        self.said: list[str] = []
        self.unread: list[tuple[str, Text]] = []

    def fork(self) -> _Reader:
        """One that goes on from here by itself."""
        other = _Reader(self.walker)
        other.frame = self.frame
        other.extend(self)
        return other

    def extend(self, other: _Reader) -> None:
        """With what stands behind it."""
        self.texts += other.texts
        self.strides += other.strides
        self.said += other.said
        self.unread += other.unread

    def feed(self, pieces: list[str]) -> None:
        texts, runs = pieces[::2], pieces[1::2]
        runs += [""] * (len(texts) - len(runs))
        said, strides, frame, stride_of = self.said, self.strides, self.frame, self.walker.stride
        for text, run in zip(texts, runs, strict=True):
            if text and not frame.is_ignored:
                readable = unescape(text) if "&" in text else text
                said.append(readable if frame.is_plain else self._heard(frame, readable))
            stride = frame.strides.get(run) or stride_of(frame, run)
            said.append(stride.said)
            if stride.unread:
                self.unread += stride.unread
            strides.append(stride)
            frame = stride.to
        self.texts += texts
        self.frame = frame

    def _heard(self, frame: Frame, text: str) -> str:
        if not frame.is_unread or text.isspace():
            return read(frame, text)
        self.unread.append((frame.tag, Text(read(frame, text))))
        return ""

    def finished(self) -> Outline:
        lines = "".join(self.said).split(LINE_END)
        outline = Outline([" ".join(words) for line in lines if (words := line.split())])
        for stride, number in Counter(self.strides).items():
            stride.count(outline, number)
        for tag, (text, is_raw) in self.unread:
            if tag == "title" and not outline.title:
                outline.title = titled(text)
            elif is_raw and tag == "script":
                outline.scripts.append(text)
            elif is_raw and tag == "style":
                outline.sheets[text] += 1
        if len(outline.lines) < LEAST_WORDS and outline.words < LEAST_WORDS:
            outline.lines += outline.scripts
        outline.find_parts = self._parts
        return outline

    def _parts(self) -> list[Part]:
        found: list[Part] = []
        frame, has_title = self.walker.root, False
        for text, stride in zip(self.texts, self.strides, strict=True):
            for one in [(frame, unescape(text)), *stride.parts] if text else stride.parts:
                if isinstance(one, Part):
                    found.append(one)
                    continue
                part, is_title = part_of(*one), one[0].is_unread
                # Of titles, up to the first one that says something.
                if part and not (is_title and has_title):
                    found.append(part)
                    has_title = has_title or (is_title and bool(part.value))
            frame = stride.to
        return found
