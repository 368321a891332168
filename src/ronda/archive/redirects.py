"""Redirects of the archive: those by which a capture was reached, and where one that was not followed leads."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from ronda.archive.http_head import END_OF_HTTP_HEAD, fields_of, first_field
from ronda.archive.models import Capture
from ronda.archive.reading import HEADS_BYTES, response_record
from ronda.archive.warc_fields import END_OF_HEAD, BadFields, strict_fields
from ronda.database.named_sql import named_sql
from ronda_node.errors import UrlRefused
from ronda_node.fetcher import NotFollowed
from ronda_node.policy import ANYWHERE
from ronda_node.redirects import REDIRECTS, target_of, text_of
from ronda_node.urls import LONGEST_URL, canonicalise

# More than any node follows.
MOST_STEPS = 10


@dataclass(frozen=True)
class Redirect:
    """Where a response leads, and why nobody went there, as far as its node said."""

    location: str
    not_followed: str


def steps_before(first_urls: Mapping[int, str]) -> dict[int, list[Capture]]:
    """By capture, the redirects on the way to it from the URL that was asked for, in order; none if there were none."""
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.archive", "steps_before"),
            {"captures": list(first_urls), "urls": list(first_urls.values()), "most": MOST_STEPS},
        )
        rows = cursor.fetchall()
    found = Capture.objects.select_related("file").in_bulk({step for _last, step in rows})
    steps: dict[int, list[Capture]] = defaultdict(list)
    for last, step in rows:
        steps[last].append(found[step])
    return dict(steps)


def redirect_of(capture: Capture) -> Redirect | None:
    """None: it leads nowhere, or its record cannot be read here."""
    if capture.status not in REDIRECTS:
        return None
    try:
        head, _, block = response_record(capture, HEADS_BYTES).partition(END_OF_HEAD)
        told = {name.lower(): value for name, value in strict_fields(head)}
    except (OSError, zlib.error, BadFields):
        return None
    end = END_OF_HTTP_HEAD.search(block)
    location = first_field(fields_of(block[: end.start() if end else None]), "location").encode("latin-1")
    if not location:
        return None
    reason = told.get("ronda-redirect", "")
    return Redirect(_target(capture, location), reason if reason in set(NotFollowed) else "")


def _target(capture: Capture, location: bytes) -> str:
    """As a whole URL; what is none stays as the server said it."""
    try:
        target = target_of(canonicalise(capture.url, ANYWHERE), capture.status, location, ANYWHERE)
    except UrlRefused:
        target = None
    return target.text if target else text_of(location)[:LONGEST_URL]
