"""Do two answers to one URL say the same? A ladder, the cheapest rung first; the first that can tell decides.

Pages live: clocks, counters, adverts. So a different digest alone says nothing about a page that reads the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from ronda.grid.page_reach import reach_alike
from ronda.grid.text_similarity import similarity

ALIKE_FROM = 0.9
# A passing trouble of the host, or its answer to being asked too often: it says nothing about the page.
PASSING_STATUSES = frozenset({408, 425, 429})
UNAVAILABLE_FOR_LEGAL_REASONS = 451
_MARKUP = ("html", "xml")
_TEXT = ("text/", "json", "javascript", "xml", "html")


class Outcome(StrEnum):
    MATCH = "match"
    DIFFER = "differ"
    INCONCLUSIVE = "inconclusive"


class Rung(StrEnum):
    """What told them apart, or that they are the same."""

    ANSWER = "answer"
    STATUS = "status"
    LOCATION = "location"
    TYPE = "type"
    DIGEST = "digest"
    TEXT = "text"
    LENGTH = "length"
    REACH = "reach"


def _nothing() -> bytes:
    return b""


@dataclass(frozen=True)
class Seen:
    """An answer as somebody saw it. `location`: where it led in the end; `load` reads the decoded body, when needed.

    A status of 0 means that there was no answer at all.
    """

    status: int
    location: str = ""
    mime: str = ""
    payload_digest: str = ""
    load: Callable[[], bytes] = _nothing
    is_truncated: bool = False


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    rung: Rung
    similarity: float | None = None


def compare(a: Seen, b: Seen, *, is_strict: bool = False) -> Verdict:
    """Symmetric: who is compared with whom does not matter.

    Strict, somebody may have an interest in the difference: a page that breaks off for one alone is another page, and
    one that reads the same but calls on other sites is, too.
    """
    if not a.status or not b.status:
        return Verdict(Outcome.INCONCLUSIVE, Rung.ANSWER)
    if _is_passing(a.status) or _is_passing(b.status):
        return Verdict(Outcome.INCONCLUSIVE, Rung.STATUS)
    if _class_of(a.status) != _class_of(b.status):
        return Verdict(Outcome.DIFFER, Rung.STATUS)
    if _place(a.location) != _place(b.location):
        return Verdict(Outcome.DIFFER, Rung.LOCATION)
    if 300 <= a.status < 400:
        # Nobody reads the body of a redirect.
        return Verdict(Outcome.MATCH, Rung.LOCATION)
    return _compare_bodies(a, b, is_strict)


def _compare_bodies(a: Seen, b: Seen, is_strict: bool) -> Verdict:
    if a.payload_digest and a.payload_digest == b.payload_digest:
        return Verdict(Outcome.MATCH, Rung.DIGEST)
    if _kind(a.mime) != _kind(b.mime):
        return Verdict(Outcome.DIFFER, Rung.TYPE)
    if a.is_truncated or b.is_truncated:
        return _compare_cut(a, b) if is_strict else Verdict(Outcome.INCONCLUSIVE, Rung.DIGEST)
    if not any(part in a.mime for part in _TEXT):
        return Verdict(Outcome.DIFFER, Rung.DIGEST)
    return _compare_text(a.load(), b.load(), a, is_strict)


def _compare_text(ours: bytes, theirs: bytes, seen: Seen, is_strict: bool) -> Verdict:
    is_markup = any(part in seen.mime for part in _MARKUP)
    found = similarity(ours, theirs, is_markup=is_markup)
    if found < ALIKE_FROM:
        return Verdict(Outcome.DIFFER, Rung.TEXT, found)
    if is_strict and is_markup and not reach_alike(ours, theirs, own_host=_place(seen.location)[0]):
        return Verdict(Outcome.DIFFER, Rung.REACH, found)
    return Verdict(Outcome.MATCH, Rung.TEXT, found)


def _compare_cut(a: Seen, b: Seen) -> Verdict:
    """As far as both go. Where only one breaks off, and the other goes on, that is a difference."""
    ours, theirs = a.load(), b.load()
    common = min(len(ours), len(theirs))
    is_alone = (a.is_truncated and len(ours) < len(theirs)) or (b.is_truncated and len(theirs) < len(ours))
    if is_alone and not (a.is_truncated and b.is_truncated):
        return Verdict(Outcome.DIFFER, Rung.LENGTH)
    if ours[:common] == theirs[:common]:
        return Verdict(Outcome.MATCH if common else Outcome.INCONCLUSIVE, Rung.LENGTH)
    if not any(part in a.mime for part in _TEXT):
        return Verdict(Outcome.DIFFER, Rung.DIGEST)
    return _compare_text(ours[:common], theirs[:common], a, is_strict=True)


def _is_passing(status: int) -> bool:
    return status >= 500 or status in PASSING_STATUSES


def _class_of(status: int) -> int:
    """2, 3, 4; and one of its own for what a law forbids: that a page is withheld is not that it is missing."""
    return status if status == UNAVAILABLE_FOR_LEGAL_REASONS else status // 100


def _place(location: str) -> tuple[str, str]:
    """Host and path. Queries carry session ids; http and https lead to the same page."""
    try:
        parts = urlsplit(location)
        return (parts.netloc.lower(), parts.path or "/")
    except ValueError:
        return (location, "")


def _kind(mime: str) -> str:
    """The type without its flavours: application/xhtml+xml reads like text/html."""
    return "html" if "html" in mime else mime
