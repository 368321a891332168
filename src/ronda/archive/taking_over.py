"""Records of others, made into records of ours: checked, one gzip member each, nothing changed but
wrong digests and header lines that readers take in different ways."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import IO

from ronda.archive.digests import OWN, Claim
from ronda.archive.file_contents import CAPTURE_KINDS, moment
from ronda.archive.foreign_warc import ForeignRecord, is_capture
from ronda.archive.record_parser import is_server_note
from ronda.archive.urlkeys import urlkey_of
from ronda.archive.warc_fields import Fields, made_strict
from ronda_node.body_framing import Chunked
from ronda_node.urls import LONGEST_URL
from ronda_node.warc_records import write_member

BEFORE_THE_WEB = datetime(1990, 1, 1, tzinfo=UTC)
CLOCKS_DIFFER = timedelta(days=1)
DENSE_TYPES = ("image/", "video/", "audio/", "font/", "application/zip", "application/gzip")


class Unfit(Exception):
    """A record that cannot be taken over, and why."""


def take_over(one: ForeignRecord, into: IO[bytes]) -> str:
    """Write it as a member of its own; its id."""
    record = one.record
    if is_server_note(record):
        raise Unfit("it is a note of an archive to itself, and not this one's")
    if not record.is_block_true:
        raise Unfit("its block digest is not that of its bytes")
    if is_capture(record):
        _require_fit(one)
    fields = [pair for pair in made_strict(record.ordered) if pair[0].lower() != "content-length"]
    record_id = next((value for name, value in fields if name.lower() == "warc-record-id"), "")
    if not record_id:
        record_id = f"<urn:uuid:{uuid.uuid4()}>"
        fields = [pair for pair in fields if pair[0].lower() != "warc-record-id"]
        fields.append(("WARC-Record-ID", record_id))
    _put_digests(fields, one)
    fields.append(("Content-Length", record.fields["content-length"]))
    write_member(fields, b"", one.pieces(), into.write, is_dense=_is_dense(one))
    return record_id


def _require_fit(one: ForeignRecord) -> None:
    record = one.record
    if len(record.url) > LONGEST_URL or not record.url.isprintable():
        raise Unfit("its URL is too long, or not printable")
    if not urlkey_of(record.url):
        raise Unfit("its URL cannot be looked up")
    fetched_at = moment(record.fields.get("warc-date", ""))
    if fetched_at is None:
        raise Unfit("it has no readable WARC-Date")
    if fetched_at < BEFORE_THE_WEB:
        raise Unfit("its WARC-Date is before the web")
    if fetched_at > datetime.now(UTC) + CLOCKS_DIFFER:
        raise Unfit("its WARC-Date is in the future")
    if not record.status and record.kind != "revisit":
        raise Unfit("it does not begin with an HTTP status line")
    if not record.is_payload_true and not _is_true_without_framing(one):
        raise Unfit("its payload digest is not that of its bytes")


def _is_true_without_framing(one: ForeignRecord) -> bool:
    """Some writers take the digest of a chunked body after they have taken the chunks apart."""
    claim = Claim(one.record.fields["warc-payload-digest"])
    chunked = Chunked(claim.update)
    for piece in _payload(one):
        chunked.feed(piece)
    return chunked.is_complete and claim.is_true


def _put_digests(fields: Fields, one: ForeignRecord) -> None:
    """Ours, where there are none, or where the readers of WARC files would find another."""
    record = one.record
    if "warc-block-digest" not in record.fields:
        fields.append(("WARC-Block-Digest", _digest(one.pieces())))
    if record.kind not in CAPTURE_KINDS or record.kind == "revisit":
        return
    if "warc-payload-digest" not in record.fields or not record.is_payload_true:
        fields[:] = [(name, value) for name, value in fields if name.lower() != "warc-payload-digest"]
        fields.append(("WARC-Payload-Digest", record.payload_digest))


def _payload(one: ForeignRecord) -> Iterable[bytes]:
    skip = len(one.record.http_head)
    for piece in one.pieces():
        yield piece[skip:]
        skip = max(0, skip - len(piece))


def _digest(pieces: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece)
    return f"{OWN}:{found.hexdigest()}"


def _is_dense(one: ForeignRecord) -> bool:
    return one.record.mime.startswith(DENSE_TYPES) or b"\r\ncontent-encoding:" in one.record.http_head.lower()
