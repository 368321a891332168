"""Captures as the archive keeps them: real records in a real file, indexed."""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

from django.db import transaction

from ronda.archive.models import Capture, Collection
from ronda.archive.reading import AROUND_BYTES, response_record
from ronda.archive.services import FetchedBy, NewCapture, archive_folder, index_captures
from ronda.archive.text_types import has_text
from ronda.archive.urlkeys import urlkey_of
from ronda.archive.warc_writer import WarcWriter
from tests.grid.warc_bodies import member, response

HTTP = "application/http; msgtype=response"


@dataclass
class Keeper:
    """Keeps pages as if nodes had brought them."""

    writer: WarcWriter

    def keep(
        self,
        url: str,
        body: bytes | str,
        *,
        at: datetime,
        collection: str = "scientific",
        mime: str = "text/html",
        status: int = 200,
        location: str = "",
        source: uuid.UUID | None = None,
        visit: int | None = None,
    ) -> Capture:
        block = response(status, body.encode() if isinstance(body, str) else body, mime, location)
        record = member("response", url, "1", block, Content_Type=HTTP, WARC_Date=f"{at:%Y-%m-%dT%H:%M:%SZ}")
        return self._append(record, url, at, status, mime, collection, source, visit)

    def revisit(self, original: Capture, *, url: str = "", at: datetime) -> Capture:
        """The same payload again, with no body of its own."""
        url = url or original.url
        head = response_record(original, AROUND_BYTES).split(b"\r\n\r\n")[1] + b"\r\n\r\n"
        record = member(
            "revisit", url, "1", head,
            Content_Type=HTTP,
            WARC_Date=f"{at:%Y-%m-%dT%H:%M:%SZ}",
            WARC_Profile="http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            WARC_Refers_To_Target_URI=original.url,
            WARC_Refers_To_Date=f"{original.fetched_at:%Y-%m-%dT%H:%M:%SZ}",
            WARC_Payload_Digest=original.digest,
        )  # fmt: skip
        slug = original.collection.slug if original.collection else ""
        capture = self._append(record, url, at, original.status, original.mime, slug, original.source, None)
        Capture.objects.filter(pk=capture.pk).update(refers_to=original, digest=original.digest)
        return Capture.objects.get(pk=capture.pk)

    def _append(
        self,
        record: bytes,
        url: str,
        at: datetime,
        status: int,
        mime: str,
        collection: str,
        source: uuid.UUID | None,
        visit: int | None,
    ) -> Capture:
        digest = _field(record, "WARC-Payload-Digest")
        new = NewCapture(url, at, status, mime, digest, "192.0.2.1", "", 0, len(record), len(record))
        with self.writer.appending() as appending, transaction.atomic():
            start = appending.append(BytesIO(record))
            ids = index_captures(
                appending=appending, start=start, captures=[new], fetched_by=FetchedBy(uuid.uuid4(), 1)
            )
        found = Capture.objects.filter(pk=ids[0])
        found.update(
            urlkey=urlkey_of(url),
            collection=Collection.objects.get(slug=collection),
            source=source,
            visit=visit,
            is_text_due=has_text(mime=mime, status=status),
        )
        return found.select_related("collection", "file").get()


@contextmanager
def keeping() -> Iterator[Keeper]:
    writer = WarcWriter(archive_folder())
    yield Keeper(writer)
    writer.close()


def _field(record: bytes, name: str) -> str:
    head = gzip.decompress(record).partition(b"\r\n\r\n")[0].decode()
    return next(line.partition(": ")[2] for line in head.split("\r\n") if line.startswith(name))
