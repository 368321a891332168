"""From records to rows: the captures of a block as the index has them. Doing it again changes nothing."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.db import connection

from ronda.archive.block_notes import CaptureNote
from ronda.archive.digests import CLAIMED
from ronda.archive.file_contents import Block, FoundCapture, moment
from ronda.archive.models import Collection, WarcFile
from ronda.archive.text_types import has_text
from ronda.archive.urlkeys import urlkey_of
from ronda.database.named_sql import named_sql
from ronda.frontier.services import digest_of

LONGEST_ADDRESS = 45
LONGEST_REASON = 12
LONGEST_DIGEST = 80


def index_block(*, file: WarcFile, start: int, block: Block) -> int:
    """Bring the index into line with a block whose offsets count from `start`. Ids of rows that are there stay.

    What imported revisits refer to is for `refer_block` to say, once it is known what was withdrawn.
    """
    if block.note is None:
        return 0
    rows = _rows_of(block)
    arguments: dict[str, Any] = {
        "rows": json.dumps(rows),
        "file": file.pk,
        "start": start,
        "node": block.note.node,
        "owner": block.note.owner,
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.archive", "reindex"), arguments)
    if not block.is_import:
        refer_block(file=file, start=start, block=block)
    return len(rows)


def refer_block(*, file: WarcFile, start: int, block: Block) -> None:
    """Find the captures that have the payloads of a block's revisits, as far as it may refer to them."""
    arguments: dict[str, Any] = {
        "rows": json.dumps(_rows_of(block)),
        "file": file.pk,
        "start": start,
        "is_import": block.is_import,
        "at": block.noted_at,
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.archive", "refer"), arguments)


def _rows_of(block: Block) -> list[dict[str, Any]]:
    return [row for pair in block.indexed() if (row := _row_of(*pair, is_import=block.is_import))]


def _row_of(found: FoundCapture, note: CaptureNote | None, *, is_import: bool) -> dict[str, Any] | None:
    """None: a record without a time or a status line, which no index can offer.

    A revisit that a server told of (304) has no head of its own: its status and type are those of what it refers to.
    """
    record = found.record
    fetched_at = found.fetched_at(note)
    if fetched_at is None or not (record.status or found.is_revisit):
        return None
    collection = collection_named(note.collection) if note and note.collection else None
    fields = record.fields
    refers_at = moment(fields.get("warc-refers-to-date", ""))
    is_claim = is_import and found.is_revisit
    return {
        "url": record.url,
        "url_digest": str(digest_of(record.url)),
        "urlkey": urlkey_of(record.url) if collection else "",
        "fetched_at": fetched_at.isoformat(),
        "status": record.status,
        "mime": record.mime,
        "digest": (CLAIMED + found.digest if is_claim else found.digest)[:LONGEST_DIGEST],
        "claimed": found.digest[:LONGEST_DIGEST],
        "address": fields.get("warc-ip-address", "")[:LONGEST_ADDRESS],
        "truncated": fields.get("warc-truncated", "")[:LONGEST_REASON],
        "offset": record.offset,
        "length": found.length,
        "response_length": record.length,
        "payload_bytes": 0 if found.is_revisit else record.payload_bytes,
        "collection": collection.pk if collection else None,
        "source": str(note.source) if note and note.source else None,
        "visit": note.visit if note else None,
        "is_text_due": collection is not None
        and not found.is_revisit
        and has_text(mime=record.mime, status=record.status),
        "is_revisit": found.is_revisit,
        "refers_digest": str(_refers_url_digest(found)),
        "refers_at": (refers_at or fetched_at).isoformat(),
    }


def _refers_url_digest(found: FoundCapture) -> uuid.UUID:
    """A revisit that names no other URL is one of its own."""
    target = found.record.fields.get("warc-refers-to-target-uri", "").removeprefix("<").removesuffix(">")
    return digest_of(target or found.record.url)


def collection_named(slug: str) -> Collection:
    """Made if it is missing: after the loss of a database the files still know what belonged together."""
    return Collection.objects.get_or_create(slug=slug, defaults={"name": slug, "is_public": False})[0]
