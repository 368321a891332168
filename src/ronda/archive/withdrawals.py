"""Captures that no longer count: found to be wrong (voided), or forgotten. Index and files both say so.

The files are never rewritten: a `metadata` record, its target urn:ronda:withdrawn:<uuid>, its content the JSON of
`Withdrawal`, is appended instead, so that `ronda archive reindex` needs nothing but the files. It speaks of captures of
its node, its visit or its source that begin within one of its pieces, both ends included; without any of them, a piece
a capture. With a voided capture go those that refer to its payload; a forgotten one leaves them, and its payload is
still read for them. The first withdrawal of a kind sets the time; later ones change nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from enum import StrEnum
from io import BytesIO

from django.db import connection, transaction
from django.db.models import Max, Min, QuerySet
from django.utils import timezone
from pydantic import BaseModel, ConfigDict

from ronda.archive import services as archive
from ronda.archive.models import Capture
from ronda.archive.records import metadata_record
from ronda.archive.warc_writer import Appending

TARGET_PREFIX = "urn:ronda:withdrawn:"
CONTENT_TYPE = "application/vnd.ronda.withdrawn+json"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('ronda.archive.withdrawals', 0))"
_SHARED_LOCK = "SELECT pg_advisory_xact_lock_shared(hashtextextended('ronda.archive.withdrawals', 0))"


class Kind(StrEnum):
    VOIDED = "voided"
    FORGOTTEN = "forgotten"


class Piece(BaseModel):
    """Of a file: where the first and the last of these captures begin."""

    model_config = ConfigDict(frozen=True)

    file: str
    first: int
    last: int


class Withdrawal(BaseModel):
    """A node, a visit or a source is named; none where each capture is a piece."""

    model_config = ConfigDict(frozen=True)

    kind: Kind
    because: str
    at: datetime
    node: uuid.UUID | None = None
    visit: int | None = None
    source: uuid.UUID | None = None
    pieces: list[Piece]


def void_captures(*, node: uuid.UUID, after: int, because: str) -> int:
    """What a node brought behind the id `after` is not to be believed, nor what refers to it."""

    def void(wrong: QuerySet[Capture], at: datetime) -> int:
        referring = Capture.objects.filter(
            pk__gt=after, voided_at=None, refers_to__in=wrong.values("pk")
        ).exclude(node=node)
        return referring.update(voided_at=at) + wrong.update(voided_at=at)

    mine = Capture.objects.filter(pk__gt=after, node=node, voided_at=None)
    return _withdraw(
        mine,
        lambda at, pieces: Withdrawal(kind=Kind.VOIDED, because=because, at=at, node=node, pieces=pieces),
        void,
    )


def forget_captures(*, visit: int, because: str, appending: Appending | None = None) -> int:
    """What a visit kept is no longer offered. Call it where the actor and the reason were checked and are audited.

    `appending`: of whoever is in a transaction already. The file is taken before it, as uploads do.
    """
    return _withdraw(
        Capture.objects.filter(visit=visit, forgotten_at=None),
        lambda at, pieces: Withdrawal(
            kind=Kind.FORGOTTEN, because=because, at=at, visit=visit, pieces=pieces
        ),
        _forget,
        appending=appending,
    )


def forget_source(*, source: uuid.UUID, because: str, appending: Appending | None = None) -> int:
    """The same for all that was ever kept for a source, whatever came of the visits."""
    return _withdraw(
        Capture.objects.filter(source=source, forgotten_at=None),
        lambda at, pieces: Withdrawal(
            kind=Kind.FORGOTTEN, because=because, at=at, source=source, pieces=pieces
        ),
        _forget,
        appending=appending,
    )


def forget_each(*, captures: QuerySet[Capture], because: str, appending: Appending | None = None) -> int:
    """The same for single captures, imported ones among them. What is forgotten by then is left alone."""
    return _withdraw(
        captures.filter(forgotten_at=None),
        lambda at, pieces: Withdrawal(kind=Kind.FORGOTTEN, because=because, at=at, pieces=pieces),
        _forget,
        is_each=True,
        appending=appending,
    )


def _forget(unwanted: QuerySet[Capture], at: datetime) -> int:
    return unwanted.update(forgotten_at=at)


def hold_off_withdrawals() -> None:
    """Until the transaction ends: what it looks up to refer to stays good until then, or is voided with what refers."""
    with connection.cursor() as cursor:
        cursor.execute(_SHARED_LOCK)


def _withdraw(
    captures: QuerySet[Capture],
    say: Callable[[datetime, list[Piece]], Withdrawal],
    update: Callable[[QuerySet[Capture], datetime], int],
    is_each: bool = False,
    appending: Appending | None = None,
) -> int:
    """In the files first, then in the index: as with captures, both or neither. `is_each`: a piece a capture."""
    if not captures.exists():
        return 0
    opened = nullcontext(appending) if appending else archive.writer().appending()
    with opened as file, transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_LOCK)
        fields = ("file__name", "offset") if is_each else ("file__name",)
        found = captures.order_by().values(*fields).annotate(first=Min("offset"), last=Max("offset"))
        pieces = [
            Piece(file=row["file__name"], first=row["first"], last=row["last"])
            for row in found.order_by("file__name", "first")
        ]
        at = timezone.now()
        file.append(BytesIO(_record(say(at, pieces))))
        count = update(captures, at)
        file.note_size()
    return count


def _record(withdrawal: Withdrawal) -> bytes:
    return metadata_record(
        target=f"{TARGET_PREFIX}{uuid.uuid4()}",
        content_type=CONTENT_TYPE,
        content=withdrawal.model_dump_json(exclude_none=True).encode(),
    )
