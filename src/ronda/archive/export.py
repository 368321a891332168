"""Captures as a WARC file of their own: the records as they lie in the archive, behind a warcinfo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

from django.db.models import QuerySet

from ronda.accounts.models import Person
from ronda.archive import services
from ronda.archive.models import Capture, Text
from ronda.archive.queries import visible_collections
from ronda.archive.text_types import Kind, types_of
from ronda.archive.warc_writer import warcinfo

READ_BYTES = 1024 * 1024
PIECE = 1000


def self_contained(
    captures: QuerySet[Capture], name: str, about: str, *, actor: Person | None
) -> Iterator[bytes]:
    """The captures in the order of their files, then those whose payload some of them have, each once.

    The latter may have been kept for something else the actor may see: the file says how many they are. A payload that
    was forgotten goes along where something that was not refers to it: it is the same page.
    """
    chosen = captures.order_by().values("pk")
    held = Capture.objects.filter(pk__in=captures.order_by().exclude(refers_to=None).values("refers_to"))
    elsewhere = held.exclude(pk__in=chosen).filter(
        voided_at=None, collection__in=visible_collections(actor).values("pk")
    )
    description = (
        f"{about}; with {elsewhere.count()} captures kept elsewhere that others refer to, at the end"
    )
    yield warcinfo(name, {"description": description})
    for found in (captures, elsewhere):
        ordered = found.select_related("file").order_by("file__name", "offset")
        yield from _pieces_of(ordered.iterator(PIECE))


def warc_of(captures: Iterable[Capture]) -> Iterator[bytes]:
    """The bytes of the file, piece by piece, in bounded memory."""
    yield warcinfo("export.warc.gz")
    yield from _pieces_of(captures)


def page_list(captures: QuerySet[Capture]) -> Iterator[bytes]:
    """Which of them people would begin with, as WACZ has it (json-pages-1.0): a line a page, behind a head."""
    yield _line({"format": "json-pages-1.0", "id": "pages", "title": "All pages"})
    pages = captures.filter(status=200, mime__in=types_of(Kind.HTML)).order_by("fetched_at", "pk")
    rows = pages.values_list("pk", "url", "fetched_at", "digest").iterator(PIECE)
    while some := list(islice(rows, PIECE)):
        titles = dict(Text.objects.filter(digest__in={row[3] for row in some}).values_list("digest", "title"))
        for number, url, fetched_at, digest in some:
            moment = f"{fetched_at:%Y-%m-%dT%H:%M:%S}Z"
            yield _line({"id": str(number), "url": url, "ts": moment, "title": titles.get(digest) or url})


def _line(told: dict[str, str]) -> bytes:
    return json.dumps(told).encode() + b"\n"


def _pieces_of(captures: Iterable[Capture]) -> Iterator[bytes]:
    name, file = "", None
    try:
        for capture in captures:
            if capture.file.name != name or file is None:
                if file:
                    file.close()
                name = capture.file.name
                file = (services.archive_folder() / name).open("rb")
            yield from _piece(file, capture.offset, capture.length)
    finally:
        if file:
            file.close()


def _piece(file: BinaryIO, offset: int, length: int) -> Iterator[bytes]:
    file.seek(offset)
    while length > 0:
        data = file.read(min(READ_BYTES, length))
        if not data:
            return
        length -= len(data)
        yield data
