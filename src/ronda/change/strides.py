"""From element to element: what a run of tags does, found out once for each frame it stands in."""

from __future__ import annotations

from ronda.change.documents import MOST_DEPTH
from ronda.change.elements import INLINE, Frame, Kind, Stride, Tag, is_ended
from ronda.change.markup import End, Start, Text, tokens_of_run
from ronda.change.outlines import Part, Places, segment_of
from ronda.change.rules import Facet, Ignoring, RuleKind, levelled
from ronda.change.selectors import START

# A blank to everybody, so that in texts another blank can stand for it.
LINE_END = "\x1e"
LONGEST_TITLE = 1000
_UNREAD = frozenset(["script", "style", "template", "noscript", "iframe", "svg", "head"])
_MOST_BACK = 50


def read(frame: Frame, text: str) -> str:
    is_levelled = Facet.TEXT in frame.levels and not text.isspace()
    return levelled(text, Facet.TEXT) if is_levelled else text


def titled(text: str) -> str:
    return " ".join(text.split())[:LONGEST_TITLE]


def part_of(frame: Frame, text: str) -> Part | None:
    """Of what is not read, titles only."""
    if frame.is_ignored or text.isspace() or (frame.is_unread and frame.tag != "title"):
        return None
    shown = " ".join(read(frame, text).split())
    return Part(frame.place, Facet.TEXT, shown[:LONGEST_TITLE] if frame.is_unread else shown)


class Walker:
    """Knows the frames and strides of pages that are compared with each other."""

    def __init__(self, ignoring: Ignoring, places: Places, is_xml: bool) -> None:
        self.ignoring = ignoring
        self.places = places
        self.is_xml = is_xml
        self.is_matching = bool(ignoring.matcher)
        self.root = Frame(None, "", places.root, START)
        self.known: dict[Start, Tag] = {}
        self.kinds: dict[tuple[str, str, int], Kind] = {}

    def stride(self, frame: Frame, run: str) -> Stride:
        stride = frame.strides[run] = Stride(frame)
        said: list[str] = []
        for token in tokens_of_run(run):
            if isinstance(token, Start):
                self._start(stride, token, said)
            elif isinstance(token, End):
                self._end(stride, token.tag, said)
            else:
                _text(stride, token, said)
        stride.said = "".join(said)
        return stride

    def _start(self, stride: Stride, start: Start, said: list[str]) -> None:
        tag = self.known.get(start)
        if tag is None:
            tag = self.known[start] = Tag(start, self._kind_of(start), self.is_xml)
        around = stride.to
        if not self.is_xml and around.parent and is_ended(around.tag, tag.tag):
            around = around.parent
        if not tag.is_inline:
            said.append(LINE_END)
        frame = around.inner.get(tag.kind)
        if frame is None:
            frame = around.inner[tag.kind] = self._enter(around, tag.kind)
        if not frame.is_ignored:
            stride.shapes.append(frame.place.shape)
            if tag.is_noted:
                self._note(stride, frame, tag)
        stride.to = around if tag.is_void or around.depth >= MOST_DEPTH else frame

    def _kind_of(self, start: Start) -> Kind:
        tag, attributes = start.tag, start.attributes
        segment = (
            segment_of(tag, attributes.get("id", ""), attributes.get("class", "")) if attributes else tag
        )
        fitting = self.ignoring.matcher.fitting(tag, attributes) if self.is_matching else 0
        return self.kinds.setdefault((tag, segment, fitting), Kind(tag, segment, fitting))

    def _enter(self, around: Frame, kind: Kind) -> Frame:
        place = self.places.inside(around.place, kind.tag, kind.segment)
        frame = Frame(around, kind.tag, place, around.reached)
        frame.is_ignored = around.is_ignored
        frame.is_unread = around.is_unread or (kind.tag in _UNREAD and not self.is_xml)
        if self.is_matching:
            frame.reached = self.ignoring.matcher.enter(around.reached, kind.fitting)
            for number in self.ignoring.matcher.found(frame.reached):
                rule = self.ignoring.elements[number]
                self.ignoring.used.add(rule)
                if rule.kind == RuleKind.SELECTOR:
                    frame.is_ignored = True
                else:
                    frame.levels |= {rule.facet}
        frame.is_plain = not (frame.is_ignored or frame.is_unread or Facet.TEXT in frame.levels)
        return frame

    def _note(self, stride: Stride, frame: Frame, tag: Tag) -> None:
        place = frame.place
        if tag.href:
            link = self._address(frame, Facet.LINK, tag.href)
            stride.links.append(link)
            stride.parts.append(Part(place, Facet.LINK, link))
        for address, bag in ((tag.sheet, stride.sheets), (tag.picture, stride.looks)):
            if address:
                shown = self._address(frame, Facet.LOOK, address)
                bag.append(shown)
                stride.parts.append(Part(place, Facet.LOOK, shown))
        if tag.look:
            stride.looks.append(tag.look)

    def _address(self, frame: Frame, facet: Facet, address: str) -> str:
        if self.ignoring.fields:
            address = self.ignoring.without_fields(address)
        return levelled(address, facet) if facet in frame.levels else address

    def _end(self, stride: Stride, name: str, said: list[str]) -> None:
        if name not in INLINE or self.is_xml:
            said.append(LINE_END)
        frame: Frame | None = stride.to
        # The root has no end; whoever is open too far out stays so.
        for _ in range(_MOST_BACK):
            if frame is None or frame.parent is None:
                return
            if frame.tag == name:
                stride.to = frame.parent
                return
            frame = frame.parent


def _text(stride: Stride, token: Text, said: list[str]) -> None:
    """Blanks between tags, or what stands in an element without tags in it."""
    frame, text = stride.to, token.text
    if frame.is_ignored:
        return
    if text.isspace():
        said.append(" ")
        return
    stride.parts.append((frame, text))
    if frame.is_unread:
        stride.unread.append((frame.tag, Text(read(frame, text), token.is_raw)))
    else:
        said.append(read(frame, text).replace(LINE_END, " "))
