"""Payloads the archive holds already: found by their digest, and referred to instead of kept again.

A revisit always refers to the capture that has the payload, never to another revisit.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from ronda.archive.models import Capture
from ronda.database.named_sql import named_sql
from ronda_node.warc_records import IDENTICAL, write_member

NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
# A payload, and the source within which it is looked for.
Wanted = tuple[uuid.UUID, str]


@dataclass(frozen=True)
class Target:
    """A capture that has a payload: by its id, or by where it lies among records that are not indexed yet."""

    url: str
    fetched_at: datetime
    capture_id: int | None = None
    offset: int | None = None


@dataclass(frozen=True)
class KnownCapture:
    """A capture a page was compared with, and whose payload it shows."""

    id: int
    status: int
    mime: str
    digest: str
    target: Target


def held_payloads(wanted: Collection[Wanted]) -> dict[Wanted, Target]:
    """The first capture of a source that has each payload, of those that still count."""
    if not wanted:
        return {}
    sources, digests = zip(*wanted, strict=True)
    with connection.cursor() as cursor:
        arguments = {"sources": list(sources), "digests": list(digests)}
        cursor.execute(named_sql("ronda.archive", "held_payloads"), arguments)
        return {
            (source, digest): Target(url, fetched_at, capture_id)
            for source, digest, capture_id, url, fetched_at in cursor.fetchall()
        }


def known_captures(ids: Collection[int]) -> dict[int, KnownCapture]:
    """Without those that were found to be wrong. A forgotten one is still good to refer to: its payload is there."""
    if not ids:
        return {}
    found = Capture.objects.filter(pk__in=ids, voided_at=None).select_related("refers_to")
    return {capture.pk: _known(capture, capture.refers_to or capture) for capture in found}


def _known(capture: Capture, holder: Capture) -> KnownCapture:
    target = Target(holder.url, holder.fetched_at, holder.pk)
    return KnownCapture(capture.pk, capture.status, capture.mime, holder.digest, target)


def identical(fields: Mapping[str, str], head: bytes, target: Target) -> bytes:
    """The same payload again: the record of a response, without it."""
    return _record(fields, head, IDENTICAL, fields["warc-payload-digest"], target)


def not_modified(fields: Mapping[str, str], known: KnownCapture) -> bytes:
    """The server said so (304). Its head is left out: pywb would answer with it instead of with the page."""
    return _record(fields, b"", NOT_MODIFIED, known.digest, known.target)


def _record(fields: Mapping[str, str], head: bytes, profile: str, digest: str, target: Target) -> bytes:
    """Only what a reader needs: with many unchanged pages, these are what the archive consists of."""
    address = fields.get("warc-ip-address")
    written = [
        ("WARC-Type", "revisit"),
        ("WARC-Record-ID", fields["warc-record-id"]),
        ("WARC-Date", fields["warc-date"]),
        ("WARC-Target-URI", fields["warc-target-uri"]),
        *([("WARC-IP-Address", address)] if address else []),
        ("WARC-Profile", profile),
        ("WARC-Refers-To-Target-URI", target.url),
        ("WARC-Refers-To-Date", f"{target.fetched_at:%Y-%m-%dT%H:%M:%S.%f}Z"),
        ("WARC-Payload-Digest", digest),
        ("WARC-Block-Digest", f"sha256:{hashlib.sha256(head).hexdigest()}"),
        ("Content-Type", "application/http; msgtype=response"),
        ("Content-Length", str(len(head))),
    ]
    pieces: list[bytes] = []
    write_member(written, head, (), pieces.append, is_dense=False)
    return b"".join(pieces)
