"""What a page is made of, as far as a comparison wants to know: its text in lines, links, assets, elements, head."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from ronda.change.encodings import encoding_of, text_in
from ronda.change.markup import End, Start, Text, tokens
from ronda.change.places import resolved

# What is read of a page; what lies behind is compared by its digest alone.
MOST_BYTES = 2 * 1024 * 1024
MOST_LINES = 40_000
MOST_DEPTH = 200
PATH_LENGTH = 6

_BLANKS = re.compile(r"\s+")
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
    }
    | {
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "head",
        "header",
        "hr",
        "html",
    }
    | {"h1", "h2", "h3", "h4", "h5", "h6", "legend", "li", "main", "menu", "nav", "ol", "option", "p", "pre"}
    | {"section", "select", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul"}
)
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
# An element that ends the one before it of the same kind, as its end tag may be left out.
_SIBLINGS = frozenset({"p", "li", "dt", "dd", "tr", "td", "th", "option"})
_UNREAD = frozenset({"script", "style", "template", "noscript", "iframe", "svg", "head"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_METAS = frozenset({"description", "keywords", "author", "robots", "og:title", "og:description", "og:image"})


def _nothing_known(_urls: Collection[str]) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Page:
    """A state of a page. `digests`: what is known of assets at that time, URL → digest."""

    payload: bytes
    mime: str = "text/html"
    url: str = ""
    digest: str = ""
    digests: Callable[[Collection[str]], Mapping[str, str]] = _nothing_known


@dataclass(frozen=True)
class Asset:
    kind: str
    url: str


@dataclass
class Document:
    """A page as read. `elements`: (path of tags, what tells the element apart) → how often."""

    lines: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    assets: dict[str, Asset] = field(default_factory=dict)
    elements: Counter[tuple[str, str]] = field(default_factory=Counter)
    title: str = ""
    headings: list[str] = field(default_factory=list)
    metas: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False


def is_markup(mime: str) -> bool:
    return "html" in mime


def is_text(mime: str) -> bool:
    return mime.startswith("text/") or any(word in mime for word in ("json", "xml", "javascript", "html"))


def read(page: Page) -> Document:
    text = decoded(page.payload[:MOST_BYTES])
    document = _Reader(page.url).read(text) if is_markup(page.mime) else _plain(text, page.mime)
    document.is_cut = len(page.payload) > MOST_BYTES or len(document.lines) > MOST_LINES
    del document.lines[MOST_LINES:]
    return document


def decoded(payload: bytes) -> str:
    try:
        return payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        return text_in(payload, encoding_of(payload))


def _plain(text: str, mime: str) -> Document:
    if "json" in mime:
        # By structure: neither the order of names nor the layout is a change. What is no JSON is compared as it stands.
        with suppress(ValueError, RecursionError):
            text = json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False)
    return Document(lines=text.splitlines())


class _Reader:
    """Reads the tokens of a page one by one."""

    def __init__(self, url: str) -> None:
        self.base = url
        self.document = Document()
        self.path: list[str] = []
        self.unread = 0
        self.words: list[str] = []
        self.link: tuple[str, list[str]] | None = None
        self.heading: list[str] | None = None
        self.element: tuple[str, str, str] | None = None

    def read(self, markup: str) -> Document:
        for token in tokens(markup):
            match token:
                case Start(tag, attributes):
                    self._start(tag, attributes)
                case End(tag):
                    self._end(tag)
                case Text(text, is_raw) if not is_raw:
                    self._text(text)
        self._end_line()
        self._end_element()
        self._end_link()
        return self.document

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _SIBLINGS and self.path and self.path[-1] == tag:
            self._leave(len(self.path) - 1)
        if tag in _BLOCKS:
            self._end_line()
        self._end_element()
        own = attributes.get("id") or attributes.get("src") or attributes.get("href") or ""
        self.element = ("/".join([*self.path[-PATH_LENGTH:], tag]), tag, own[:200])
        self._note(tag, attributes)
        if tag not in _VOID and len(self.path) < MOST_DEPTH:
            self.path.append(tag)
            self.unread += tag in _UNREAD

    def _note(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "base" and attributes.get("href"):
            self.base = resolved(self.base, attributes["href"]) or self.base
        elif tag == "a" and "href" in attributes:
            self._end_link()
            self.link = (resolved(self.base, attributes["href"]), [])
        elif tag == "meta":
            name = (attributes.get("name") or attributes.get("property") or "").lower()
            if name in _METAS:
                self.document.metas[name] = attributes.get("content", "")[:1000]
        elif tag in _HEADINGS:
            self.heading = []
        self._note_asset(tag, attributes)

    def _note_asset(self, tag: str, attributes: dict[str, str]) -> None:
        kinds = {"img": "image", "script": "script", "source": "media", "video": "media", "audio": "media"}
        kind, address = kinds.get(tag, ""), attributes.get("src", "")
        if tag == "link" and {"stylesheet", "icon"} & set(attributes.get("rel", "").lower().split()):
            kind = "style" if "stylesheet" in attributes["rel"].lower() else "image"
            address = attributes.get("href", "")
        if kind and (url := resolved(self.base, address)):
            self.document.assets.setdefault(url, Asset(kind, url))

    def _end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end_line()
        if tag == "a":
            self._end_link()
        if tag in _HEADINGS and self.heading is not None:
            self.document.headings.append(_clean("".join(self.heading)))
            self.heading = None
        self._end_element()
        for at in range(len(self.path) - 1, max(-1, len(self.path) - 50), -1):
            if self.path[at] == tag:
                self._leave(at)
                break

    def _leave(self, depth: int) -> None:
        self.unread -= sum(tag in _UNREAD for tag in self.path[depth:])
        del self.path[depth:]

    def _text(self, text: str) -> None:
        if self.element and not self.element[2] and not text.isspace():
            path, tag, _own = self.element
            self.element = (path, tag, _clean(text)[:80])
        if "title" in self.path[-1:]:
            self.document.title = self.document.title or _clean(text)[:1000]
        elif not self.unread:
            self.words.append(text)
            if self.link:
                self.link[1].append(text)
            if self.heading is not None:
                self.heading.append(text)

    def _end_line(self) -> None:
        if line := _clean("".join(self.words)):
            self.document.lines.append(line)
        self.words.clear()

    def _end_element(self) -> None:
        if self.element:
            path, tag, own = self.element
            self.document.elements[path, f"{tag}:{own}" if own else ""] += 1
            self.element = None

    def _end_link(self) -> None:
        if self.link and self.link[0]:
            self.document.links.setdefault(self.link[0], _clean("".join(self.link[1]))[:300])
        self.link = None


def _clean(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
