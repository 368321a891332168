"""From records to rows: the captures of a block as the index has them. Doing it again changes nothing."""

from __future__ import annotations

import json
import uuid
from typing import Any

from django.db import connection

from ronda.archive.block_notes import CaptureNote
from ronda.archive.file_contents import Block, FoundCapture, moment
from ronda.archive.models import Collection, WarcFile
from ronda.archive.services import is_text
from ronda.archive.urlkeys import urlkey_of
from ronda.database.named_sql import named_sql
from ronda.frontier.services import digest_of

LONGEST_ADDRESS = 45
LONGEST_REASON = 12
LONGEST_DIGEST = 80


def index_block(*, file: WarcFile, start: int, block: Block) -> int:
    """Bring the index into line with a block whose offsets count from `start`. Ids of rows that are there stay."""
    if block.note is None:
        return 0
    rows = [row for pair in block.indexed() if (row := row_of(*pair))]
    arguments: dict[str, Any] = {
        "rows": json.dumps(rows),
        "file": file.pk,
        "start": start,
        "node": block.note.node,
        "owner": block.note.owner,
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.archive", "reindex"), arguments)
        cursor.execute(named_sql("ronda.archive", "refer"), arguments)
    return len(rows)


def row_of(found: FoundCapture, note: CaptureNote | None) -> dict[str, Any] | None:
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
    return {
        "url": record.url,
        "url_digest": str(digest_of(record.url)),
        "urlkey": urlkey_of(record.url) if collection else "",
        "fetched_at": fetched_at.isoformat(),
        "status": record.status,
        "mime": record.mime,
        "digest": found.digest[:LONGEST_DIGEST],
        "address": fields.get("warc-ip-address", "")[:LONGEST_ADDRESS],
        "truncated": fields.get("warc-truncated", "")[:LONGEST_REASON],
        "offset": record.offset,
        "length": found.length,
        "response_length": record.length,
        "collection": collection.pk if collection else None,
        "source": str(note.source) if note and note.source else None,
        "visit": note.visit if note else None,
        "is_text_due": collection is not None
        and not found.is_revisit
        and is_text(record.status, record.mime),
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
