"""Reads what a node uploads, record by record, believing nothing: framing, lengths, digests and sizes are checked.

Strict on purpose. A node writes one gzip member per WARC/1.1 record; whatever is not that is refused as a whole.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import BinaryIO

from ronda.grid.errors import BadUpload
from ronda_node.warc_records import IDENTICAL

READ_BYTES = 256 * 1024
FIRST_BYTES = 8 * 1024
MAX_HEAD_BYTES = 128 * 1024
KINDS = frozenset({"response", "revisit", "request", "metadata"})
_RECORD_ID = re.compile(r"<urn:uuid:[0-9a-f-]{36}>")
# W3C's profile of ISO 8601, as WARC/1.1 has it: with a time, in UTC.
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", re.ASCII)
_LENGTH = re.compile(r"\d{1,15}", re.ASCII)
# A final answer: what is below comes before one, what is above is nobody's.
_STATUSES = range(200, 600)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# As nodes find it: some servers end their lines with nothing but a line feed.
_END_OF_HEAD = re.compile(rb"\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: |\r|\n|$)")


@dataclass(frozen=True)
class ReadLimits:
    """What one record may take, and all of them together."""

    record_bytes: int = 64 * 1024**2
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
    members = _Members(upload, limits)
    for number in range(limits.records + 1):
        record = members.next_record()
        if record is None:
            return
        if number == limits.records:
            break
        yield record
    raise BadUpload(f"More than {limits.records} records.")


class _Members:
    """The gzip members of a stream, unpacked with bounded memory."""

    def __init__(self, upload: BinaryIO, limits: ReadLimits) -> None:
        self._upload = upload
        self._limits = limits
        self._read = memoryview(b"")
        self._used = 0
        self._position = 0
        self._total = 0

    def next_record(self) -> ReadRecord | None:
        if not self._has_more():
            return None
        start = self._position
        check = _RecordCheck(self._limits)
        unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        window = FIRST_BYTES
        while not unpacker.eof:
            if not self._has_more():
                raise BadUpload("The upload ends within a record.")
            check.take(self._unpack(unpacker, window))
            window = min(READ_BYTES, 4 * window)
        return check.finish(start, self._position - start)

    def _has_more(self) -> bool:
        if self._used == len(self._read):
            self._read, self._used = memoryview(self._upload.read(READ_BYTES)), 0
        return len(self._read) > 0

    def _unpack(self, unpacker: zlib._Decompress, window: int) -> bytes:
        """The next piece, never more than a few times what was read: a bomb is noticed while it unfolds.

        Whatever stands behind the member is copied by zlib each time, so that it is not given much of it.
        """
        given = self._read[self._used : self._used + window]
        try:
            data = unpacker.decompress(given, READ_BYTES * 4)
        except zlib.error as error:
            raise BadUpload(f"A record is no gzip member: {error}.") from None
        left = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        self._used += len(given) - len(left)
        self._position += len(given) - len(left)
        self._total += len(data)
        if self._total > self._limits.total_bytes:
            raise BadUpload(f"The upload unpacks to more than {self._limits.total_bytes} bytes.")
        return data


class _RecordCheck:
    """One record as its bytes come by: its fields first, then its block, hashed and measured."""

    def __init__(self, limits: ReadLimits) -> None:
        self._limits = limits
        self._head = b""
        self._fields: dict[str, str] | None = None
        self._length = 0
        self._seen = 0
        self._start = b""
        self._tail = b""
        self._block = hashlib.sha256()
        self._payload = hashlib.sha256()
        self._has_head = False

    def take(self, data: bytes) -> None:
        if self._fields is None:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                if len(self._head) > MAX_HEAD_BYTES:
                    raise BadUpload("A record's header is too long.")
                return
            self._read_fields(self._head[:end])
            data = self._head[end + 4 :]
        self._take_block(data)

    def _read_fields(self, head: bytes) -> None:
        first, *lines = head.decode("utf-8", "replace").split("\r\n")
        if b"\0" in head:
            raise BadUpload("A record's header has a zero byte in it.")
        if first != "WARC/1.1":
            raise BadUpload("A record is not WARC/1.1.")
        pairs = [line.partition(":") for line in lines]
        if not all(colon and name.strip() for name, colon, _ in pairs):
            raise BadUpload("A record's header has a line that is no field.")
        self._fields = {name.rstrip().lower(): value.strip() for name, _, value in pairs}
        length = self._fields.get("content-length", "")
        if not _LENGTH.fullmatch(length) or int(length) > self._limits.record_bytes:
            raise BadUpload("A record has no sensible Content-Length.")
        if self._fields.get("warc-type") not in KINDS or "warc-target-uri" not in self._fields:
            raise BadUpload("A record is of no kind a node may send.")
        if not _RECORD_ID.fullmatch(self._fields.get("warc-record-id", "")):
            raise BadUpload("A record has no WARC-Record-ID.")
        _moment(self._fields.get("warc-date", ""))
        self._length = int(length)

    def _take_block(self, data: bytes) -> None:
        room = self._length - self._seen
        block = data if len(data) <= room else data[:room]
        self._tail += data[len(block) :]
        if len(self._tail) > 4:
            raise BadUpload("A record is longer than it says.")
        self._block.update(block)
        self._seen += len(block)
        if self._has_head:
            self._payload.update(block)
        else:
            self._take_head(block)

    def _take_head(self, block: bytes) -> None:
        known = len(self._start)
        self._start += block
        found = _END_OF_HEAD.search(self._start, max(0, known - 2))
        if found:
            self._has_head = True
            self._payload.update(self._start[found.end() :])
            self._start = self._start[: found.end()]
        elif len(self._start) > MAX_HEAD_BYTES and self._fields and self._fields["warc-type"] == "response":
            raise BadUpload("A response's header is too long.")

    def finish(self, offset: int, length: int) -> ReadRecord:
        if self._fields is None or self._seen != self._length or self._tail != b"\r\n\r\n":
            raise BadUpload("A record is shorter than it says.")
        payload = f"sha256:{self._payload.hexdigest()}"
        self._compare("warc-block-digest", f"sha256:{self._block.hexdigest()}")
        record = ReadRecord(offset, length, self._fields, self._start, payload)
        if record.kind == "response":
            self._compare("warc-payload-digest", payload)
            _read_http(record)
        elif record.kind == "revisit":
            _read_revisit(record)
        elif record.kind == "metadata" and "warc-payload-digest" in record.fields:
            raise BadUpload("A failure has no payload, and no digest of one.")
        return record

    def _compare(self, name: str, found: str) -> None:
        if self._fields is None or self._fields.get(name) != found:
            raise BadUpload(f"A record's {name} is not that of its bytes.")


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
    _read_http(record)


def _read_http(record: ReadRecord) -> None:
    status = _STATUS_LINE.match(record.block_start)
    if not status:
        raise BadUpload("A response does not begin with a status line.")
    if int(status[1]) not in _STATUSES:
        raise BadUpload("A response has a status that no final answer has.")
    record.status = int(status[1])
    lines = record.block_start.decode("latin-1").split("\n")[1:]
    pairs = [line.partition(":") for line in lines if ":" in line]
    record.http_fields = {name.strip().lower(): value.strip() for name, _, value in reversed(pairs)}
    mime = record.http_fields.get("content-type", "").split(";")[0].strip().lower()
    record.mime = mime[:100] if mime.isascii() and mime.isprintable() else ""
