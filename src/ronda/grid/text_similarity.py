"""How alike two pages read: shared runs of words in their visible text, whatever their clocks and counters say."""

from __future__ import annotations

import html
import re
import unicodedata

# Enough to tell pages apart; a longer one costs no more.
MOST_CHARACTERS = 512 * 1024
RUN = 3

_WORD = re.compile(r"\w+")
_TAG_NAME = re.compile(r"<(script|style|noscript|template|iframe|svg)\b", re.IGNORECASE)


def similarity(a: bytes, b: bytes, *, is_markup: bool) -> float:
    """From 0 (nothing in common) to 1 (reads the same): the shared part of the runs of three words (Dice)."""
    ours, theirs = _runs(_text(a, is_markup)), _runs(_text(b, is_markup))
    if not ours and not theirs:
        # Pages that only a script fills: what is left to compare is their source.
        ours, theirs = _runs(_text(a, False)), _runs(_text(b, False))
    together = len(ours) + len(theirs)
    return 2 * len(ours & theirs) / together if together else 1.0


def _text(payload: bytes, is_markup: bool) -> str:
    try:
        text = payload.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = payload.decode("latin-1")
    text = text[:MOST_CHARACTERS]
    return html.unescape(visible_text(text)) if is_markup else text


def visible_text(markup: str) -> str:
    """What stands between the tags, without scripts, styles and comments. One pass, however broken the markup is."""
    lowered = markup.lower()
    # Characters whose lower form is longer would move the positions; they are rare, and only case would be lost.
    source = markup if len(lowered) == len(markup) else lowered
    pieces, position = [], 0
    while (start := lowered.find("<", position)) >= 0:
        pieces.append(source[position:start])
        position = _end_of_tag(lowered, start)
    pieces.append(source[position:])
    return " ".join(pieces)


def _end_of_tag(lowered: str, start: int) -> int:
    """Where the text goes on. What is opened and never closed reaches to the end, as in a browser."""
    if lowered.startswith("<!--", start):
        return _behind(lowered, "-->", start + 4)
    if hidden := _TAG_NAME.match(lowered, start):
        closing = lowered.find(f"</{hidden[1]}", start)
        return len(lowered) if closing < 0 else _behind(lowered, ">", closing)
    following = lowered[start + 1 : start + 2]
    if following.isalpha() or following in ("/", "!", "?"):
        return _behind(lowered, ">", start)
    return start + 1


def _behind(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)


def _runs(text: str) -> set[tuple[str, ...]]:
    words = [_levelled(word) for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold())]
    if len(words) <= RUN:
        return {tuple(words)} if words else set()
    return set(zip(*(words[shift:] for shift in range(RUN)), strict=False))


def _levelled(word: str) -> str:
    """Times, counters, prices, session numbers: whatever has a digit in it is one and the same word."""
    return "0" if any(map(str.isdigit, word)) else word
