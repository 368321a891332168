"""Captures go with their source when it moves to another collection. Index and files both say so.

As with withdrawals, files are never rewritten: a `metadata` record, its target urn:ronda:moved:<uuid>, its content the
JSON of `Move`, is appended. The last move of a source holds for all its captures.
"""

from __future__ import annotations

import uuid
from datetime import datetime
from io import BytesIO

from django.db.models import Value
from django.db.models.functions import Concat
from django.utils import timezone
from pydantic import BaseModel, ConfigDict

from ronda.archive.digests import CLAIMED
from ronda.archive.models import Capture, Collection
from ronda.archive.records import metadata_record
from ronda.archive.warc_writer import Appending

TARGET_PREFIX = "urn:ronda:moved:"
CONTENT_TYPE = "application/vnd.ronda.moved+json"


class Move(BaseModel):
    model_config = ConfigDict(frozen=True)

    source: uuid.UUID
    collection: str  # its short name
    at: datetime


def move_captures(*, appending: Appending, source: uuid.UUID, collection: Collection) -> None:
    """Inside `appending`, and inside the transaction that moves the source."""
    move = Move(source=source, collection=collection.slug, at=timezone.now())
    record = metadata_record(
        target=f"{TARGET_PREFIX}{uuid.uuid4()}",
        content_type=CONTENT_TYPE,
        content=move.model_dump_json().encode(),
    )
    appending.append(BytesIO(record))
    Capture.objects.filter(source=source).update(collection=collection)
    # Revisits that others imported stay where they are, and may not look into the other collection.
    left = Capture.objects.filter(refers_to__source=source, source=None).exclude(collection=collection)
    left.update(refers_to=None, digest=Concat(Value(CLAIMED), "digest"))
    appending.note_size()
