"""One WARC record as its bytes come by: fields first, then the block, measured and hashed, in bounded memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from ronda.archive.digests import OWN, Claim
from ronda.archive.http_head import END_OF_HTTP_HEAD, fields_of, first_field, plain_mime, status_of
from ronda.archive.warc_fields import END_OF_HEAD, BadFields, Fields, content_length, strict_fields

LONGEST_HEAD_BYTES = 128 * 1024
RECORD_END = b"\r\n\r\n"
# What the server notes about other records is kept whole; everything else passes by.
NOTES = "application/vnd.ronda."
NOTE_TARGETS = "urn:ronda:"
LONGEST_NOTE_BYTES = 256 * 1024**2
MOST_BYTES = 2**50
HTTP_KINDS = frozenset({"response", "revisit", "request"})


class BrokenRecord(Exception):
    """A record is not what it says."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


@dataclass(frozen=True)
class Record:
    """A record that was read to its end. `offset` and `length` are of its bytes in the file."""

    offset: int
    length: int
    fields: dict[str, str]
    ordered: Fields
    http_head: bytes
    content: bytes
    payload_digest: str
    is_block_true: bool
    is_payload_true: bool

    @property
    def kind(self) -> str:
        return self.fields.get("warc-type", "")

    @property
    def id(self) -> str:
        return self.fields.get("warc-record-id", "")

    @property
    def payload_bytes(self) -> int:
        return int(self.fields["content-length"]) - len(self.http_head)

    @property
    def url(self) -> str:
        # Some writers set the address in angle brackets, as WARC 1.0 was once read.
        return self.fields.get("warc-target-uri", "").removeprefix("<").removesuffix(">")

    @property
    def status(self) -> int:
        return 200 if self.kind == "resource" else status_of(self.http_head)

    @property
    def mime(self) -> str:
        if self.kind == "resource":
            return plain_mime(self.fields.get("content-type", ""))
        return plain_mime(first_field(fields_of(self.http_head), "content-type"))


def is_server_note(record: Record) -> bool:
    """Of the kind in which a server says whose records are, moves and withdraws them."""
    content_type = record.fields.get("content-type", "").strip().lower()
    return content_type.startswith(NOTES) or record.url.lower().startswith(NOTE_TARGETS)


class RecordParser:
    """Feed it until `is_complete`; what `feed` gives back belongs to the next record.

    `read_fields`: how strictly its header is read. `keeps_notes`: in files of others there are none to be read.
    """

    def __init__(
        self,
        on_block: Callable[[bytes], object] | None = None,
        most_bytes: int = MOST_BYTES,
        read_fields: Callable[[bytes], Fields] = strict_fields,
        *,
        keeps_notes: bool = True,
    ) -> None:
        self._longest_note = LONGEST_NOTE_BYTES if keeps_notes else -1
        self._on_block = on_block
        self._fields_in = read_fields
        self._most_bytes = most_bytes
        self._head = b""
        self._ordered: Fields = []
        self._fields: dict[str, str] | None = None
        self._left = 0
        self._end = b""
        self._is_http = False
        self._http_head = b""
        self._content: list[bytes] | None = None
        self._own = hashlib.sha256()
        self._block = self._payload = Claim("")

    @property
    def has_begun(self) -> bool:
        return bool(self._head) or self._fields is not None

    @property
    def is_complete(self) -> bool:
        return self._fields is not None and not self._left and self._end == RECORD_END

    def feed(self, data: bytes) -> bytes:
        if self._fields is None:
            self._head += data
            end = self._head.find(END_OF_HEAD)
            if (len(self._head) if end < 0 else end) > LONGEST_HEAD_BYTES:
                raise BrokenRecord("its header is too long")
            if end < 0:
                return b""
            self._read_fields(self._head[:end])
            data, self._head = self._head[end + len(END_OF_HEAD) :], b""
        block, rest = data[: self._left], data[self._left :]
        self._take_block(block)
        if self._left:
            return b""
        missing = len(RECORD_END) - len(self._end)
        self._end += rest[:missing]
        if not RECORD_END.startswith(self._end):
            raise BrokenRecord("it is longer than it says")
        return rest[missing:]

    def _read_fields(self, head: bytes) -> None:
        try:
            self._ordered = self._fields_in(head)
        except BadFields as error:
            raise BrokenRecord(error.reason) from None
        self._fields = {name.lower(): value for name, value in self._ordered}
        length = content_length(self._fields)
        if length is None:
            raise BrokenRecord("it has no Content-Length")
        self._left = length
        if self._left > self._most_bytes:
            raise BrokenRecord(f"it is longer than {self._most_bytes} bytes")
        kind, content_type = self._fields.get("warc-type", ""), self._fields.get("content-type", "")
        # Heritrix has lookups as responses, too (dns:): their block is their payload.
        self._is_http = kind in HTTP_KINDS and not _is_of_another_scheme(self._fields)
        if kind == "metadata" and content_type.startswith(NOTES) and self._left <= self._longest_note:
            self._content = []
        self._block = Claim(self._fields.get("warc-block-digest", ""))
        # A revisit has the digest of a payload that stands elsewhere.
        is_own_payload = kind not in ("revisit", "request")
        self._payload = Claim(
            self._fields.get("warc-payload-digest", "") if is_own_payload else "", self._own
        )

    def _take_block(self, data: bytes) -> None:
        if not data:
            return
        self._left -= len(data)
        self._block.update(data)
        if self._on_block:
            self._on_block(data)
        if self._content is not None:
            self._content.append(data)
        if self._is_http:
            self._http_head += data
            end = END_OF_HTTP_HEAD.search(self._http_head)
            if end is None:
                if len(self._http_head) > LONGEST_HEAD_BYTES:
                    raise BrokenRecord("its HTTP header is too long")
                return
            data = self._http_head[end.end() :]
            self._http_head, self._is_http = self._http_head[: end.end()], False
        self._own.update(data)
        self._payload.update(data)

    def finish(self, offset: int, length: int) -> Record:
        if self._fields is None or not self.is_complete:
            raise BrokenRecord("it is shorter than it says")
        return Record(
            offset=offset,
            length=length,
            fields=self._fields,
            ordered=self._ordered,
            http_head=self._http_head,
            content=b"".join(self._content or ()),
            payload_digest=f"{OWN}:{self._own.hexdigest()}",
            is_block_true=self._block.is_true,
            is_payload_true=self._payload.is_true,
        )


def _is_of_another_scheme(fields: dict[str, str]) -> bool:
    url = fields.get("warc-target-uri", "").removeprefix("<").lower()
    return bool(url) and not url.startswith(("http:", "https:"))
