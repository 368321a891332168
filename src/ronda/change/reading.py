"""The outline of whatever a URL answered: markup, feeds, JSON by structure, PDF and plain text; else nothing."""

from __future__ import annotations

import json
from contextlib import suppress

from ronda.change import markup_outlines
from ronda.change.documents import MOST_BYTES, MOST_LINES, Page, decoded, is_markup, is_text
from ronda.change.json_outlines import json_outline
from ronda.change.outlines import Outline, Part, Places
from ronda.change.pdf_text import pdf_lines
from ronda.change.rules import Facet, Ignoring, Rule, RuleKind

# What a feed says of itself changes whenever somebody asks; its entries tell what is new.
FEED_RULES = tuple(
    Rule(RuleKind.SELECTOR, where)
    for where in (
        "channel > lastbuilddate",
        "channel > pubdate",
        "channel > generator",
        "channel > ttl",
        "feed > updated",
        "feed > generator",
    )
)


def outline_of(page: Page, ignoring: Ignoring | None = None) -> Outline | None:
    """None: it cannot be read, only told apart."""
    ignoring = ignoring or Ignoring()
    return _finished(_outline(page, ignoring, Places()), page, ignoring)


def outlines_of(
    before: Page, after: Page, ignoring: Ignoring | None = None
) -> tuple[Outline, Outline] | None:
    """Of two states of a page, with places in common."""
    ignoring, places = ignoring or Ignoring(), Places()
    if is_markup(before.mime) and is_markup(after.mime):
        both = markup_outlines.outlines(_text(before), _text(after), ignoring, places)
    elif _is_xml(before) and _is_xml(after):
        feeds = _for_feeds(ignoring)
        both = markup_outlines.outlines(_text(before), _text(after), feeds, places, is_xml=True)
    else:
        old, new = _outline(before, ignoring, places), _outline(after, ignoring, places)
        if old is None or new is None:
            return None
        both = old, new
    _finished(both[0], before, ignoring)
    _finished(both[1], after, ignoring)
    return both


def _outline(page: Page, ignoring: Ignoring, places: Places) -> Outline | None:
    if "pdf" in page.mime:
        lines = pdf_lines(page.payload)
        return None if lines is None else _of_lines(lines, places)
    if not is_text(page.mime):
        return None
    text = _text(page)
    if is_markup(page.mime):
        return markup_outlines.outline(text, ignoring, places)
    if _is_xml(page):
        return markup_outlines.outline(text, _for_feeds(ignoring), places, is_xml=True)
    if "json" in page.mime:
        with suppress(ValueError, RecursionError):
            return json_outline(json.loads(text), ignoring, places)
    return _of_lines(text.splitlines(), places)


def _finished(outline: Outline | None, page: Page, ignoring: Ignoring) -> Outline | None:
    if outline:
        outline.is_cut = len(page.payload) > MOST_BYTES or len(outline.lines) > MOST_LINES
        del outline.lines[MOST_LINES:]
        if ignoring.patterns:
            cut = ignoring.without_patterns("\n".join(outline.lines))
            outline.lines = [line for line in map(str.strip, cut.splitlines()) if line]
    return outline


def _text(page: Page) -> str:
    return decoded(page.payload[:MOST_BYTES])


def _is_xml(page: Page) -> bool:
    return "xml" in page.mime and not is_markup(page.mime)


def _for_feeds(ignoring: Ignoring) -> Ignoring:
    """It notes what was used and what was too slow where the other one does."""
    return Ignoring([*FEED_RULES, *ignoring.rules], ignoring.used, ignoring.too_slow)


def _of_lines(found: list[str] | tuple[str, ...], places: Places) -> Outline:
    lines = [line for line in (" ".join(line.split()) for line in found) if line]
    place = places.inside(places.root, "text", "text")
    parts = [Part(place, Facet.TEXT, line) for line in lines]
    return Outline(lines=lines, find_parts=lambda: parts)
