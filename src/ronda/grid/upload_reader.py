"""Reads what a node uploads, record by record, believing nothing: framing, lengths, digests and sizes are checked.

Strict on purpose. A node writes one gzip member per WARC/1.1 record; whatever is not that is refused as a whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import BinaryIO

from ronda.archive.gzip_members import BrokenMember, Members
from ronda.archive.http_head import END_OF_HTTP_HEAD, Fields, fields_of, plain_mime, status_of
from ronda.archive.warc_fields import END_OF_HEAD, BadFields, content_length, strict_fields
from ronda.grid.body_check import BodyCheck
from ronda.grid.errors import BadUpload
from ronda_node.limits import Limits
from ronda_node.warc_records import IDENTICAL

# A URL takes 2 KiB of it, the rest less than one.
MAX_HEAD_BYTES = 16 * 1024
MAX_HTTP_HEAD_BYTES = 128 * 1024
MAX_HTTP_LINES = 1000
# By kind, how long a block may be: all of these are kept in memory, where only the head of a response is.
MOST_BYTES = {
    "response": None,
    "revisit": MAX_HTTP_HEAD_BYTES,
    "request": 16 * 1024,
    "metadata": 16 * 1024,
}
# What the server asks of a record; whatever else a node writes stays in the file, and not in memory.
_KEPT = frozenset(
    {
        "content-length", "ronda-first-byte-seconds", "ronda-request", "ronda-step", "ronda-total-seconds",
        "warc-block-digest", "warc-date", "warc-ip-address", "warc-payload-digest", "warc-profile",
        "warc-record-id", "warc-target-uri", "warc-truncated", "warc-type",
    }
)  # fmt: skip
_KEPT_HTTP = frozenset({"content-encoding", "content-type", "location", "retry-after"})
_RECORD_ID = re.compile(r"<urn:uuid:[0-9a-f-]{36}>")
# W3C's profile of ISO 8601, as WARC/1.1 has it: with a time, in UTC.
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", re.ASCII)
# A final answer: what is below comes before one, what is above is nobody's.
_STATUSES = range(200, 600)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class ReadLimits:
    """What one record may take, and all of them together. `decoded_bytes`: what a body may unfold to; `heads_bytes`:
    what stays in memory until the upload is taken in."""

    record_bytes: int = 64 * 1024**2
    heads_bytes: int = 64 * 1024**2
    decoded_bytes: int = Limits().decoded_bytes
    total_bytes: int = 1024**3
    records: int = 100_000


@dataclass
class ReadRecord:
    """A record that is what it says. `offset` and `length` are of its gzip member in the upload."""

    offset: int
    length: int
    fields: dict[str, str]
    block_start: bytes
    payload_digest: str
    status: int = 0
    mime: str = ""
    http_fields: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.fields["warc-record-id"]

    @property
    def kind(self) -> str:
        return self.fields["warc-type"]

    @property
    def is_response(self) -> bool:
        """With its payload, or (a revisit) without one that we hold."""
        return self.kind in ("response", "revisit")

    @property
    def payload_bytes(self) -> int:
        return int(self.fields["content-length"]) - len(self.block_start)

    @property
    def url(self) -> str:
        return self.fields["warc-target-uri"]

    @property
    def request_id(self) -> str:
        return self.fields.get("ronda-request", "")

    @property
    def fetched_at(self) -> datetime:
        return _moment(self.fields.get("warc-date", ""))


def read_records(upload: BinaryIO, limits: ReadLimits) -> Iterator[ReadRecord]:
    """Every record in order; raises BadUpload at the first that is not what it says."""
    members = Members(upload)
    number = total = heads = 0
    while members.has_more():
        number += 1
        if number > limits.records:
            raise BadUpload(f"More than {limits.records} records.")
        start, check = members.position, _RecordCheck(limits)
        try:
            for piece in members.pieces():
                total += len(piece)
                if total > limits.total_bytes:
                    raise BadUpload(f"The upload unpacks to more than {limits.total_bytes} bytes.")
                check.take(piece)
        except BrokenMember as error:
            raise BadUpload(f"A record cannot be unpacked: {error.reason}.") from None
        heads += check.kept_bytes
        if heads > limits.heads_bytes:
            raise BadUpload(f"The heads in the upload are longer than {limits.heads_bytes} bytes.")
        yield check.finish(start, members.position - start)


class _RecordCheck:
    """One record as its bytes come by: its fields first, then its block, hashed and measured."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._head = b""
        self._head_bytes = 0
        self._fields: dict[str, str] | None = None
        self._length = 0
        self._seen = 0
        self._start = b""
        self._tail = b""
        self._block = hashlib.sha256()
        self._payload = hashlib.sha256()
        self._has_head = False
        self._http: Fields = []
        self._body: BodyCheck | None = None

    @property
    def kept_bytes(self) -> int:
        """How much of it stays in memory, about."""
        return self._head_bytes + len(self._start)

    def take(self, data: bytes) -> None:
        if self._fields is None:
            self._head += data
            end = self._head.find(END_OF_HEAD)
            if (len(self._head) if end < 0 else end) > MAX_HEAD_BYTES:
                raise BadUpload("A record's header is too long.")
            if end < 0:
                return
            self._read_fields(self._head[:end])
            data, self._head = self._head[end + len(END_OF_HEAD) :], b""
            self._head_bytes = end
        self._take_block(data)

    def _read_fields(self, head: bytes) -> None:
        if not head.startswith(b"WARC/1.1\r\n"):
            raise BadUpload("A record is not WARC/1.1.")
        try:
            lines = strict_fields(head)
        except BadFields as error:
            raise BadUpload(f"A record cannot be read: {error.reason}.") from None
        fields = {key: value for name, value in lines if (key := name.lower()) in _KEPT}
        if fields.get("warc-type") not in MOST_BYTES or "warc-target-uri" not in fields:
            raise BadUpload("A record is of no kind a node may send.")
        most = MOST_BYTES[fields["warc-type"]] or self._limits.record_bytes
        length = content_length(fields)
        if length is None or length > most:
            raise BadUpload(f"A {fields['warc-type']} record has no Content-Length of at most {most} bytes.")
        if not _RECORD_ID.fullmatch(fields.get("warc-record-id", "")):
            raise BadUpload("A record has no WARC-Record-ID.")
        _moment(fields.get("warc-date", ""))
        self._fields, self._length = fields, length

    def _take_block(self, data: bytes) -> None:
        room = self._length - self._seen
        block = data if len(data) <= room else data[:room]
        self._tail += data[len(block) :]
        if len(self._tail) > 4:
            raise BadUpload("A record is longer than it says.")
        self._block.update(block)
        self._seen += len(block)
        if self._has_head:
            self._take_payload(block)
        else:
            self._take_head(block)

    def _take_payload(self, data: bytes) -> None:
        self._payload.update(data)
        if self._body:
            self._body.feed(data)

    def _take_head(self, block: bytes) -> None:
        known = len(self._start)
        self._start += block
        found = END_OF_HTTP_HEAD.search(self._start, max(0, known - 2))
        end = found.end() if found else len(self._start)
        if end > MAX_HTTP_HEAD_BYTES or self._start.count(b"\n", 0, end) > MAX_HTTP_LINES:
            raise BadUpload("The head of a record's block is too long.")
        if found:
            self._has_head = True
            payload, self._start = self._start[end:], self._start[:end]
            if self._is_response:
                self._http = fields_of(self._start)
                self._body = BodyCheck(status_of(self._start), self._http, self._limits.decoded_bytes)
            self._take_payload(payload)

    @property
    def _is_response(self) -> bool:
        return self._fields is not None and self._fields["warc-type"] == "response"

    def finish(self, offset: int, length: int) -> ReadRecord:
        if self._fields is None or self._seen != self._length or self._tail != b"\r\n\r\n":
            raise BadUpload("A record is shorter than it says.")
        payload = f"sha256:{self._payload.hexdigest()}"
        self._compare("warc-block-digest", f"sha256:{self._block.hexdigest()}")
        record = ReadRecord(offset, length, self._fields, self._start, payload)
        if record.kind == "response":
            self._compare("warc-payload-digest", payload)
            if self._body is None:
                raise BadUpload("A response's header has no end.")
            _read_http(record, self._http)
            self._body.finish(is_truncated="warc-truncated" in self._fields)
        elif record.kind == "revisit":
            _read_revisit(record)
        elif record.kind == "metadata" and "warc-payload-digest" in record.fields:
            raise BadUpload("A failure has no payload, and no digest of one.")
        return record

    def _compare(self, name: str, found: str) -> None:
        if self._fields is None or self._fields.get(name) != found:
            raise BadUpload(f"A record's {name} is not that of its bytes.")


# A response and its request are of one moment, and it is asked for several times.
@lru_cache(maxsize=1000)
def _moment(text: str) -> datetime:
    try:
        if not _DATE.fullmatch(text):
            raise ValueError(text)
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadUpload("A record has no readable WARC-Date.") from None


def _read_revisit(record: ReadRecord) -> None:
    """The head of a response whose payload we are said to hold. Whether we do is for others to say."""
    digest = record.fields.get("warc-payload-digest", "")
    is_whole = record.fields.get("warc-profile") == IDENTICAL and "warc-truncated" not in record.fields
    if not is_whole or record.payload_bytes or not _DIGEST.fullmatch(digest):
        raise BadUpload("A revisit is not one of an identical payload.")
    record.payload_digest = digest
    _read_http(record, fields_of(record.block_start))


def _read_http(record: ReadRecord, fields: Fields) -> None:
    record.status = status_of(record.block_start)
    if not record.status:
        raise BadUpload("A response does not begin with a status line.")
    if record.status not in _STATUSES:
        raise BadUpload("A response has a status that no final answer has.")
    # The first of a name is what counts.
    record.http_fields = {name: value for name, value in reversed(fields) if name in _KEPT_HTTP}
    record.mime = plain_mime(record.http_fields.get("content-type", ""))
