"""What the index knows of an upload and its records do not say, kept as a record of its own behind them.

So the WARC files alone are the truth: `ronda archive reindex` needs nothing else. One `metadata` record an upload,
its target urn:ronda:block:<id>, its content this JSON.
"""

from __future__ import annotations

import uuid
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from ronda.archive.records import metadata_record

TARGET_PREFIX = "urn:ronda:block:"
CONTENT_TYPE = "application/vnd.ronda.block+json"


class CaptureNote(BaseModel):
    """One capture, by the WARC-Record-ID of its response or revisit record."""

    model_config = ConfigDict(frozen=True)

    record_id: str
    # The server's word, where it differs from WARC-Date: nobody's clock reaches before the lease or into the future.
    fetched_at: datetime | None = None
    collection: str = ""  # its short name
    source: uuid.UUID | None = None
    visit: int | None = None


class BlockNote(BaseModel):
    """Whose work the records before it are. Records in `not_indexed` are nobody's captures.

    Without a node they came from elsewhere, as files: `owner` imported them.
    """

    model_config = ConfigDict(frozen=True)

    node: uuid.UUID | None = None
    owner: int
    captures: list[CaptureNote] = Field(default_factory=list)
    not_indexed: list[str] = Field(default_factory=list)


def note_record(block: uuid.UUID, note: BlockNote) -> bytes:
    content = note.model_dump_json(exclude_defaults=True).encode()
    return metadata_record(target=f"{TARGET_PREFIX}{block}", content_type=CONTENT_TYPE, content=content)
