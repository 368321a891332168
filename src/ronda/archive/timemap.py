"""Memento (RFC 7089): which captures a URL has (TimeMap), and which is nearest to a moment (TimeGate)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime

from django.db.models import QuerySet
from django.utils import timezone

from ronda.archive.cdx import closest_first
from ronda.archive.errors import NoSuchCapture
from ronda.archive.models import Capture
from ronda.archive.replaying import replay_url
from ronda.archive.urlkeys import Match, stretch_of
from ronda.errors import InvalidInput

PIECE = 500


@dataclass(frozen=True)
class Mementos:
    """A URL's captures, oldest first, and the addresses that speak of them."""

    url: str
    captures: QuerySet[Capture]
    timemap: str
    timegate: str

    def first_and_last(self) -> tuple[Capture, Capture]:
        first, last = self.captures.first(), self.captures.last()
        if first is None or last is None:
            raise NoSuchCapture()
        return first, last


def mementos(captures: QuerySet[Capture], *, url: str, timemap: str = "", timegate: str = "") -> Mementos:
    stretch = stretch_of(url, Match.EXACT)
    found = captures.filter(urlkey__gte=stretch.first, urlkey__lt=stretch.end).select_related("collection")
    return Mementos(url, found.order_by("urlkey", "fetched_at", "pk"), timemap, timegate)


def link_lines(found: Mementos) -> Iterator[bytes]:
    """application/link-format, a link a line."""
    first, last = found.first_and_last()
    times = f'from="{http_date(first.fetched_at)}"; until="{http_date(last.fetched_at)}"'
    yield f'<{found.url}>; rel="original",\n'.encode()
    yield f'<{found.timemap}>; rel="self"; type="application/link-format"; {times},\n'.encode()
    yield f'<{found.timegate}>; rel="timegate"'.encode()
    for capture in found.captures.iterator(PIECE):
        yield f",\n{_link(capture, first, last)}".encode()
    yield b"\n"


def json_lines(found: Mementos) -> Iterator[bytes]:
    """The same as one JSON document."""
    first, last = found.first_and_last()
    head = {"original_uri": found.url, "timegate_uri": found.timegate, "timemap_uri": found.timemap}
    yield json.dumps(head)[:-1].encode() + b', "mementos": {"list": ['
    for number, capture in enumerate(found.captures.iterator(PIECE)):
        yield (b", " if number else b"") + json.dumps(_told(capture)).encode()
    ends = {"first": _told(first), "last": _told(last)}
    yield b"], " + json.dumps(ends)[1:].encode() + b"}\n"


def nearest(found: Mementos, accept_datetime: str) -> tuple[Capture, str]:
    """The capture for a TimeGate to lead to, and its Link field. Without a wish: the newest that was fetched here, as
    anything may stand in a file that somebody imported."""
    first, last = found.first_and_last()
    moment = _wished(accept_datetime)
    fetched = None if accept_datetime else found.captures.filter(node__isnull=False).last()
    chosen = fetched or closest_first(found.captures, moment).first() or last
    links = [
        f'<{found.url}>; rel="original"',
        f'<{found.timemap}>; rel="timemap"; type="application/link-format"',
        *(_link(one, first, last) for one in dict.fromkeys((first, chosen, last))),
    ]
    return chosen, ", ".join(links)


def http_date(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def _link(capture: Capture, first: Capture, last: Capture) -> str:
    ends = [word for word, one in (("first", first), ("last", last)) if one == capture]
    relation = " ".join([*ends, "memento"])
    return f'<{replay_url(capture)}>; rel="{relation}"; datetime="{http_date(capture.fetched_at)}"'


def _told(capture: Capture) -> dict[str, str]:
    return {"datetime": f"{capture.fetched_at:%FT%TZ}", "uri": replay_url(capture)}


def _wished(accept_datetime: str) -> datetime:
    if not accept_datetime:
        return timezone.now()
    try:
        moment = parsedate_to_datetime(accept_datetime)
        return moment if moment.tzinfo else moment.replace(tzinfo=timezone.get_current_timezone())
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"Accept-Datetime is no HTTP date: {accept_datetime[:60]!r}.",
            field="Accept-Datetime",
            hint="Example: Sat, 31 Jan 2026 12:00:00 GMT",
        ) from None
