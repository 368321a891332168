"""What leads nowhere however long one walks: recognised by the URL alone, and by how many look alike. Pure."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import blake2b

LONGEST_URL = 1000
MOST_PATH_PARTS = 20
MOST_REPEATS = 3
MOST_FIELDS = 12
# Of a calendar, this far ahead and not before the web.
CALENDAR_AHEAD = timedelta(days=400)
FIRST_YEAR = 1991
# Of one pattern, so many URLs; a share of the budget for larger captures.
LEAST_OF_A_PATTERN = 200
SHARE_OF_A_PATTERN = 0.5
MOST_OF_A_CALENDAR = 60

TOO_LONG = "too long"
TOO_MANY_PARTS = "too many path parts"
REPEATING = "repeating path parts"
TOO_MANY_FIELDS = "too many fields in the query"
FAR_DATE = "a date far away"
ONE_PATTERN = "too many of one pattern"

_SESSION_FIELD = re.compile(
    r"(?:jsessionid|phpsessid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|sid|sessid|session|session_?id|zenid|osCsid)"
    r"=[\w.!~*-]{8,}$",
    re.IGNORECASE,
)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/?#;]*|/\([SAF]\([\w-]{8,}\)\)", re.IGNORECASE)
_YEAR_AND_MONTH = re.compile(r"(?<!\d)(\d{4})[/._-](\d{1,2})(?!\d)")
_YEAR_FIELD = re.compile(r"(?:^|[&?;_])(?:year|yr|y|año|jahr)=(\d{4})(?!\d)", re.IGNORECASE)
_ONLY_A_DATE = re.compile(r"[/=_-]\d{4}[/._-]\d{1,2}(?:[/._-]\d{1,2})?/?$")
_IDENTIFIER = re.compile(r"(?=[0-9a-fA-F-]*\d)[0-9a-fA-F-]{16,}")
_NUMBER = re.compile(r"\d+")
_COUNTABLE = re.compile(r"[0-9?]")


def without_session(url: str) -> str:
    """The same page for everybody: session ids only make one URL into many."""
    head, mark, query = url.partition("?")
    head = _SESSION_IN_PATH.sub("", head)
    if query:
        kept = [field for field in query.split("&") if not _SESSION_FIELD.match(field)]
        query = "&".join(kept)
        mark = "?" if query else ""
    return head + mark + query


def reason_to_leave(url: str, *, today: date) -> str:
    """Why the URL is most likely a trap; empty if it looks like any other."""
    path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
    parts = [part for part in path.split("/") if part]
    if len(url) > LONGEST_URL:
        return TOO_LONG
    if len(parts) > MOST_PATH_PARTS:
        return TOO_MANY_PARTS
    if _is_repeating(parts):
        return REPEATING
    if query.count("&") >= MOST_FIELDS:
        return TOO_MANY_FIELDS
    if _is_far_date(f"/{path}", query, today):
        return FAR_DATE
    return ""


def _is_repeating(parts: list[str]) -> bool:
    """The same part again and again, or the same few in turn: relative links gone wrong."""
    if any(count > MOST_REPEATS for count in Counter(parts).values()):
        return True
    return any(
        parts[start : start + length] * MOST_REPEATS == parts[start : start + length * MOST_REPEATS]
        for length in range(1, len(parts) // MOST_REPEATS + 1)
        for start in range(len(parts) - length * MOST_REPEATS + 1)
    )


def _is_far_date(path: str, query: str, today: date) -> bool:
    latest = today + CALENDAR_AHEAD
    for found in _YEAR_AND_MONTH.finditer(f"{path}?{query}"):
        year, month = int(found[1]), int(found[2])
        is_far = (year, month) > (latest.year, latest.month) or year < FIRST_YEAR
        if is_far and _ONLY_A_DATE.search(path):
            return True
    return any(int(year) > latest.year or int(year) < FIRST_YEAR for year in _YEAR_FIELD.findall(query))


def pattern_of(url: str) -> str:
    """The URL with its numbers levelled; of a query only the names count."""
    path, _, query = url.partition("?")
    levelled = _NUMBER.sub("0", _IDENTIFIER.sub("0", path))
    names = sorted({field.partition("=")[0] for field in query.split("&")} - {""})
    return f"{levelled}?{'&'.join(names)}" if names else levelled


def pattern_digest(url: str) -> uuid.UUID:
    return uuid.UUID(bytes=blake2b(pattern_of(url).encode(), digest_size=16).digest())


@dataclass
class PatternBudget:
    """How many of each pattern a capture has taken so far, and whether there is room for one more."""

    counts: Counter[uuid.UUID]
    most: int

    @classmethod
    def of(cls, counts: Iterable[tuple[uuid.UUID, int]], *, max_pages: int) -> PatternBudget:
        return cls(Counter(dict(counts)), max(LEAST_OF_A_PATTERN, int(max_pages * SHARE_OF_A_PATTERN)))

    def takes(self, url: str) -> bool:
        """Counts it, if so. One that is its own pattern, like a plain page, always fits."""
        path = url.partition("?")[0]
        if not _COUNTABLE.search(url.partition("://")[2].partition("/")[2]):
            return True
        digest = pattern_digest(url)
        most = min(self.most, MOST_OF_A_CALENDAR) if _ONLY_A_DATE.search(path) else self.most
        if self.counts[digest] >= most:
            return False
        self.counts[digest] += 1
        return True
