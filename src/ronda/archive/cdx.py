"""The index as a CDX server tells it: the dialect of pywb, so that pywb and its users' scripts can ask us.

Everything is asked of the database and streamed: an answer of a million lines takes no more memory than one of ten.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Any
from urllib.parse import quote

from django.db.models import Case, F, Func, Q, QuerySet, TextField, Value, When, Window
from django.db.models.functions import Abs, Cast, Concat, Extract, Lag, Left, TruncSecond

from ronda.archive.cdx_filters import apply_filter
from ronda.archive.models import Capture
from ronda.archive.moments import end_of, first_second
from ronda.archive.urlkeys import Match, stretch_of
from ronda.database.time_limits import at_most

PIECE = 500
MOST_LINES = 100_000
MOST_SECONDS = 20
REVISIT = "warc/revisit"
FIELDS = ("urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename")
# Only where it is so: somebody brought it as a file.
IMPORTED = "imported"
# Only where there is one: lines of plain text have no room for what is mostly missing.
TRUNCATED = "truncated"
ORIGINAL = ("orig.length", "orig.offset", "orig.filename")


class Order(StrEnum):
    KEY = ""
    REVERSE = "reverse"
    CLOSEST = "closest"


class Output(StrEnum):
    CDXJ = "cdxj"
    JSON = "json"
    TEXT = "text"


@dataclass(frozen=True)
class CdxQuery:
    """What may be asked. Names are ours; the API has those of the dialect."""

    url: str
    match: Match | None = None
    since: str = ""
    until: str = ""
    closest: str = ""
    order: Order = Order.KEY
    limit: int = MOST_LINES
    filters: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    output: Output = Output.CDXJ
    collapse_digits: int = 0
    page: int = 0
    page_size: int = 0
    is_resolving: bool = False
    shown: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        all_fields = (*FIELDS, *ORIGINAL, IMPORTED) if self.is_resolving else (*FIELDS, IMPORTED)
        more = () if self.output is Output.TEXT else (TRUNCATED,)
        object.__setattr__(self, "shown", self.fields or (*all_fields, *more))

    @property
    def size(self) -> int:
        """Lines a page."""
        return self.page_size or MOST_LINES


def lines(captures: QuerySet[Capture], query: CdxQuery) -> Iterator[bytes]:
    """The answer in pieces. `captures` are those the asker may see."""
    with at_most(MOST_SECONDS, field="filter"):
        rows = selected(captures, query).iterator(PIECE)
        written = (_line(row, query) for row in rows)
        yield from iter(lambda: "".join(islice(written, PIECE)).encode(), b"")


def check(captures: QuerySet[Capture], query: CdxQuery) -> None:
    """Raises for what cannot be asked, and with filters for what takes too long to find its first line."""
    rows = selected(captures, query)
    if query.filters:
        with at_most(MOST_SECONDS, field="filter"):
            list(rows[:1])


def page_count(captures: QuerySet[Capture], query: CdxQuery) -> int:
    with at_most(MOST_SECONDS, field="filter"):
        return -(-_matching(captures, query).count() // query.size)


def selected(captures: QuerySet[Capture], query: CdxQuery) -> QuerySet[Any, dict[str, Any]]:
    """The lines as rows, in their order."""
    rows = _matching(captures, query)
    if query.collapse_digits:
        rows = _collapsed(rows, query.collapse_digits)
    if query.closest:
        rows = closest_first(rows, first_second(query.closest, field="closest"))
    elif query.order == Order.REVERSE:
        rows = rows.order_by("-urlkey", "-fetched_at", "-pk")
    else:
        rows = rows.order_by("urlkey", "fetched_at", "pk")
    first = query.page * query.size
    most = min(query.limit, query.size)
    shown: QuerySet[Any, dict[str, Any]] = rows[first : first + most].values(*_COLUMNS)
    return shown


_COLUMNS = (
    "urlkey", "stamp", "url", "mime", "kind", "status", "digest", "response_length", "offset", "file__name",
    "truncated", "node", "collection_id", "source", "refers_to__collection_id", "refers_to__source",
    "refers_to__response_length", "refers_to__offset", "refers_to__file__name",
)  # fmt: skip


def _matching(captures: QuerySet[Capture], query: CdxQuery) -> QuerySet[Capture]:
    stretch = stretch_of(query.url, query.match)
    rows: QuerySet[Capture] = captures.filter(urlkey__gte=stretch.first, urlkey__lt=stretch.end)
    rows = rows.annotate(stamp=_stamp(), kind=_kind(query.is_resolving))
    if query.since:
        rows = rows.filter(fetched_at__gte=first_second(query.since, field="from"))
    if query.until:
        rows = rows.filter(fetched_at__lt=end_of(query.until, field="to"))
    for wanted in query.filters:
        rows = apply_filter(rows, wanted)
    return rows


def _stamp() -> Func:
    template = "to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS')"
    return Func(F("fetched_at"), template=template, output_field=TextField())


def _kind(is_resolving: bool) -> Case:
    """The type a line names. That of a revisit says so, unless its original is named beside it."""
    if is_resolving:
        return Case(default=F("mime"), output_field=TextField())
    return Case(
        When(refers_to__isnull=False, then=Value(REVISIT)), default=F("mime"), output_field=TextField()
    )


def closest_first(rows: QuerySet[Capture], moment: datetime) -> QuerySet[Capture]:
    """By whole seconds, as lines know no parts of them; of two equally near what was fetched here, then the older."""
    distance = Abs(Extract(TruncSecond("fetched_at"), "epoch") - Value(int(moment.timestamp())))
    is_imported = Case(When(node__isnull=True, then=Value(1)), default=Value(0))
    return rows.order_by(distance, "urlkey", is_imported, "fetched_at", "pk")


def _collapsed(rows: QuerySet[Capture], digits: int) -> QuerySet[Capture]:
    """Of lines one after the other with the same beginning of their time and the same status, the first."""
    alike = Concat(Left("stamp", digits), Value(" "), Cast("status", TextField()), output_field=TextField())
    before = Window(Lag("alike"), order_by=[F("urlkey").asc(), F("fetched_at").asc(), F("pk").asc()])
    marked = rows.annotate(alike=alike).annotate(before=before)
    return marked.filter(Q(before__isnull=True) | ~Q(before=F("alike")))


def _line(row: dict[str, Any], query: CdxQuery) -> str:
    told = _told(row, query.is_resolving)
    match query.output:
        case Output.TEXT:
            return " ".join(told.get(name, "-") or "-" for name in query.shown) + "\n"
        case Output.JSON:
            return json.dumps({name: told[name] for name in query.shown if name in told}) + "\n"
        case Output.CDXJ:
            rest = {name: told[name] for name in query.shown if name in told}
            if not query.fields:
                del rest["urlkey"], rest["timestamp"]
            return f"{told['urlkey']} {told['timestamp']} {json.dumps(rest)}\n"


def _in_ascii(url: str) -> str:
    """WARC files from elsewhere may name URLs in other letters; lines do not."""
    return url if url.isascii() else "".join(one if one.isascii() else quote(one) for one in url)


def _is_of_the_same(row: dict[str, Any]) -> bool:
    """As `Capture.holder` has it."""
    is_of_source = row["source"] is not None and row["source"] == row["refers_to__source"]
    return bool(is_of_source or row["collection_id"] == row["refers_to__collection_id"])


def _told(row: dict[str, Any], is_resolving: bool) -> dict[str, str]:
    told = {
        "urlkey": row["urlkey"],
        "timestamp": row["stamp"],
        "url": _in_ascii(row["url"]),
        "mime": row["kind"],
        "status": str(row["status"]),
        "digest": row["digest"],
        "length": str(row["response_length"]),
        "offset": str(row["offset"]),
        "filename": row["file__name"],
    }
    if row["node"] is None:
        told["imported"] = "yes"
    if row["truncated"]:
        told[TRUNCATED] = row["truncated"]
    if is_resolving:
        has_original = row["refers_to__offset"] is not None and _is_of_the_same(row)
        values = (row["refers_to__response_length"], row["refers_to__offset"], row["refers_to__file__name"])
        told |= {
            name: str(value) if has_original else "-" for name, value in zip(ORIGINAL, values, strict=True)
        }
    return told
