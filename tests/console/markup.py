"""Reads a page as a browser would, and complains about what our pages never have."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

ADDRESSES = ("href", "src", "action", "hx-get", "hx-post")
VOID_INPUTS = ("hidden", "submit", "button")


class Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.complaints: list[str] = []
        self.ids: list[str] = []
        self.labelled: set[str] = set()
        self.fields: list[dict[str, str | None]] = []
        self.has_caption = True
        self.language: str | None = None
        self.headings: list[str] = []
        self.feed(html)
        self._complain_about_the_whole()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self._note(tag, given)
        if tag == "style" or (tag == "script" and "src" not in given):
            self.complaints.append(f"inline {tag}")
        for name, value in given.items():
            if name == "style" or name.startswith(("on", "hx-on")):
                self.complaints.append(f"{name} on {tag}")
            if name in ADDRESSES and urlsplit(value or "").netloc:
                self.complaints.append(f"{tag} leads to another host: {value}")
        if tag == "th" and "scope" not in given:
            self.complaints.append("a table head without scope")

    def _note(self, tag: str, given: dict[str, str | None]) -> None:
        if identifier := given.get("id"):
            self.ids.append(identifier)
        match tag:
            case "html":
                self.language = given.get("lang")
            case "label":
                self.labelled.add(given.get("for") or "")
            case "table":
                self.has_caption = "aria-labelledby" in given
            case "caption":
                self.has_caption = True
            case "tbody" if not self.has_caption:
                self.complaints.append("a table without a caption")
            case "input" | "select" | "textarea" if given.get("type") not in VOID_INPUTS:
                self.fields.append(given)
            case "h1":
                self.headings.append(tag)

    def _complain_about_the_whole(self) -> None:
        for field in self.fields:
            if field.get("id") not in self.labelled and "aria-label" not in field:
                self.complaints.append(f"no label for {field.get('name')}")
        self.complaints += [f"id {name} stands twice" for name in set(self.ids) if self.ids.count(name) > 1]
        if self.language and len(self.headings) != 1:
            self.complaints.append(f"{len(self.headings)} headings of the first level")
