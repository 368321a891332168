"""Taking a batch: checked, read by a process of its own, fsynced, in the catalogue; then acknowledged. Once, however
often it is sent."""

from __future__ import annotations

import hashlib
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from django.db import connection, transaction
from django.db.models import Count, Sum
from django.utils.translation import gettext as _

from ronda.accounts.models import Person
from ronda.analysis import asked, intake_pool, live, segments
from ronda.analysis.errors import (
    BadBody,
    BadChecksum,
    BatchDiffers,
    BatchTooLarge,
    NoSuchSession,
    NotOfSession,
    SegmentFailed,
    SessionClosed,
    ShareUsedUp,
)
from ronda.analysis.intake_process import Order
from ronda.analysis.models import STORED_STATES, Batch, Session, SessionState
from ronda.analysis.policies import BATCH_MEGABYTES, BATCHES, MEGABYTE, MEGABYTES
from ronda.analysis.questions import TableNeed
from ronda.analysis.sessions import note_life, session_seen
from ronda.policies.queries import value_of

COPY_BYTES = 1024 * 1024
# Text packs well; what grows beyond this is a bomb.
UNPACKED_TIMES = 16


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A body and what its headers say of it; `checksum` is its SHA-256."""

    body: BinaryIO
    content_type: str
    encoding: str
    checksum: str


def take_batch(
    *, actor: Person | None, session_id: uuid.UUID, table: str, number: int, sent: Sent
) -> tuple[Batch, bool]:
    """The batch, and whether it is new."""
    session = session_seen(actor=actor, session_id=session_id)
    note_life(session.pk)
    tables = asked.of_session(session).tables
    if table not in tables:
        words = _("There is no table %(name)s; there are: %(tables)s.")
        raise NotOfSession(words % {"name": table, "tables": ", ".join(tables)}, field="table")
    if known := _acknowledged(session, table, number, sent.checksum):
        return known, False
    if not session.is_open:
        raise SessionClosed()
    _check_share(session)
    body = segments.incoming_path(session.pk, ".body")
    part = segments.incoming_path(session.pk, ".part")
    try:
        batch = Batch(session=session, table=table, number=number, checksum=sent.checksum)
        _read(batch, sent, tables[table], body, part)
        return _keep(batch, part)
    except OSError as error:
        _give_way(session)
        raise SegmentFailed(
            _("The batch could not be kept: %(reason)s.") % {"reason": error.strerror}, retry_after_seconds=5
        ) from error
    finally:
        for path in (body, part):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _read(batch: Batch, sent: Sent, need: TableNeed, body: Path, part: Path) -> None:
    """The body into a segment under a passing name, and what became of its rows into the batch."""
    most_bytes = int(value_of(BATCH_MEGABYTES)) * MEGABYTE
    batch.body_bytes = _spool(sent, body, most_bytes)
    report = intake_pool.pool().read(
        Order(
            body=str(body),
            segment=str(part),
            content_type=sent.content_type,
            encoding=sent.encoding,
            most_bytes=most_bytes * UNPACKED_TIMES,
            need=asdict(need),
        )
    )
    if report.problem and report.is_too_large:
        raise BatchTooLarge(report.problem)
    if report.problem:
        raise BadBody(report.problem, field=report.field)
    batch.rows = report.rows
    batch.reasons = report.dropped or {}
    batch.dropped = sum(batch.reasons.values())
    batch.segment_bytes = part.stat().st_size


def _acknowledged(session: Session, table: str, number: int, checksum: str) -> Batch | None:
    known = Batch.objects.filter(session=session, table=table, number=number).first()
    if known and known.checksum != checksum:
        words = _("Batch %(number)d of %(table)s was acknowledged with another body (SHA-256 %(checksum)s).")
        raise BatchDiffers(
            words % {"number": number, "table": table, "checksum": known.checksum},
            hint=_("Send this one under a number that is free."),
        )
    return known


def _check_share(session: Session) -> None:
    held = Batch.objects.filter(session__owner=session.owner_id, session__state__in=STORED_STATES)
    total = held.aggregate(total=Sum("segment_bytes"))["total"] or 0
    most = int(value_of(MEGABYTES))
    if total >= most * MEGABYTE:
        words = _("Your sessions hold %(most)d MB, as much as they may. Delete one.")
        raise ShareUsedUp(words % {"most": most})
    batches = Batch.objects.filter(session=session).aggregate(total=Count("pk"))["total"]
    if batches >= int(value_of(BATCHES)):
        raise ShareUsedUp(
            _("A session has at most %(most)d batches. Send larger ones.") % {"most": value_of(BATCHES)}
        )


def _spool(sent: Sent, target: Path, most_bytes: int) -> int:
    """The body into a file, if it is what was sent; its size."""
    digest = hashlib.sha256()
    size = 0
    with target.open("wb") as file:
        while piece := sent.body.read(COPY_BYTES):
            size += len(piece)
            if size > most_bytes:
                words = _("A batch has at most %(most)d MB. Send smaller ones.")
                raise BatchTooLarge(words % {"most": most_bytes // MEGABYTE})
            digest.update(piece)
            file.write(piece)
    if digest.hexdigest() != sent.checksum:
        words = _("The body (%(size)d bytes) does not match its checksum: on the way it became another.")
        raise BadChecksum(words % {"size": size}, field="Content-Digest", hint=_("Send it again."))
    return size


def _keep(batch: Batch, part: Path) -> tuple[Batch, bool]:
    """The row first: whoever sends the same number at the same time waits for it, and then finds it."""
    target = segments.segment_path(batch.session_id, batch.table, batch.number)
    with transaction.atomic():
        _hold_open(batch.session_id)
        Batch.objects.bulk_create([batch], ignore_conflicts=True)
        kept = Batch.objects.get(session=batch.session_id, table=batch.table, number=batch.number)
        is_mine = kept.received_at == batch.received_at and kept.checksum == batch.checksum
        if is_mine:
            segments.put_in_place(part, target)
    if not is_mine:
        _acknowledged(batch.session, batch.table, batch.number, batch.checksum)
    else:
        live.consider(batch.session_id)
    return kept, is_mine


def _hold_open(session_id: uuid.UUID) -> None:
    """Until the end of the transaction nobody closes or ends the session; other batches come in meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT state FROM analysis_session WHERE id = %s FOR KEY SHARE", [session_id])
        row = cursor.fetchone()
    if row is None or row[0] == SessionState.ENDING:
        raise NoSuchSession()
    if row[0] != SessionState.OPEN:
        raise SessionClosed()


def _give_way(session: Session) -> None:
    """The folder may have gone with its session while we wrote: that is what the client is told then."""
    if not Session.objects.filter(pk=session.pk).exclude(state=SessionState.ENDING).exists():
        raise NoSuchSession() from None
