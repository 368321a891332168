"""Blocks of captures as uploads leave them in the archive: responses, revisits, requests, a note, and the index."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from django.db import transaction

from ronda.archive import services
from ronda.archive.block_notes import BlockNote, CaptureNote, note_record
from ronda.archive.file_contents import Block, contents
from ronda.archive.indexing import index_block
from ronda.archive.models import Capture, WarcFile
from tests.grid.warc_bodies import member, response

NODE = uuid.UUID(int=7)
SOURCE = uuid.UUID(int=11)
FIRST = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=UTC)


@dataclass(frozen=True)
class Page:
    """One capture of a block. `of`: it is a revisit of that page, made then."""

    url: str
    body: bytes = b"hello"
    at: datetime = FIRST
    of: Page | None = None
    is_test: bool = False
    status: int = 200
    mime: str = "text/html"
    # As the server clamped it, if it did.
    noted_at: datetime | None = None
    id: str = field(default_factory=lambda: f"<urn:uuid:{uuid.uuid4()}>")


def records_of(page: Page) -> bytes:
    whole = response(page.status, page.body, page.mime)
    payload = f"sha256:{hashlib.sha256(page.body).hexdigest()}"
    changes: dict[str, str] = {"WARC_Record_ID": page.id, "WARC_Date": f"{page.at:%Y-%m-%dT%H:%M:%S.%f}Z"}
    kind = "response"
    if page.of:
        kind, whole = "revisit", whole[: -len(page.body)]
        changes |= {
            "WARC_Payload_Digest": payload,
            "WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC_Refers_To_Target_URI": page.of.url,
            "WARC_Refers_To_Date": f"{page.of.noted_at or page.of.at:%Y-%m-%dT%H:%M:%S.%f}Z",
        }
    changes["Content_Type"] = "application/http; msgtype=response"
    asked = f"GET {page.url} HTTP/1.1\r\n\r\n".encode()
    return member(kind, page.url, "1", whole, **changes) + member(
        "request",
        page.url,
        "1",
        asked,
        WARC_Payload_Digest="",
        Content_Type="application/http; msgtype=request",
    )


def note_of(pages: Sequence[Page], collection: str, visit: int | None) -> bytes:
    note = BlockNote(
        node=NODE,
        owner=3,
        captures=[
            CaptureNote(
                record_id=page.id,
                fetched_at=page.noted_at,
                collection=collection,
                source=SOURCE if collection else None,
                visit=visit,
            )
            for page in pages
            if not page.is_test
        ],
        not_indexed=[page.id for page in pages if page.is_test],
    )
    return note_record(uuid.uuid4(), note)


def keep(*pages: Page, collection: str = "", visit: int | None = None) -> WarcFile:
    """One upload: appended, fsynced, indexed, acknowledged."""
    body = b"".join(map(records_of, pages)) + note_of(pages, collection, visit)
    with services.writer().appending() as appending, transaction.atomic():
        start = appending.append(BytesIO(body))
        for piece in contents(BytesIO(body), 0, len(body)):
            if isinstance(piece, Block):
                index_block(file=appending.row, start=start, block=piece)
        appending.note_size()
        return appending.row


def a_site(visits: int = 3) -> None:
    """A page that changes, one that does not, one that is nobody's, and a test of the node."""
    still = Page("http://a.example/still", b"<p>the same</p>", noted_at=FIRST + timedelta(seconds=1))
    keep(still, Page("http://a.example/", b"0"), collection="scientific", visit=1)
    keep(
        Page("http://client.example/", at=FIRST),
        Page("http://canary.example/", is_test=True),
        Page("http://client.example/image", bytes(range(256)) * 500, mime="image/png"),
    )
    for visit in range(2, visits + 1):
        later = FIRST + timedelta(days=visit)
        keep(
            Page("http://a.example/still", b"<p>the same</p>", at=later, of=still),
            Page("http://a.example/", str(visit).encode(), at=later),
            collection="scientific",
            visit=visit,
        )


def whole_index() -> list[dict[str, Any]]:
    """Every column but ids, which files cannot know; what a revisit refers to by its place."""
    names = [f.attname for f in Capture._meta.concrete_fields]
    hidden = {"id", "file_id", "collection_id", "refers_to_id", "is_text_due"}
    shown = [name for name in names if name not in hidden]
    more = ["file__name", "collection__slug", "refers_to__file__name", "refers_to__offset"]
    return list(Capture.objects.order_by("file__name", "offset").values(*shown, *more))
