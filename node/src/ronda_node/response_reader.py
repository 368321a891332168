"""One HTTP/1.1 response out of a stream of bytes: knows nothing of sockets, and minds not how the bytes were split."""

from __future__ import annotations

import hashlib
import re

import httptools

from ronda_node.body_framing import Chunked, FixedLength, Framing, UntilClose
from ronda_node.content_decoding import MOST_ENCODINGS, DecodedSize, encodings_in
from ronda_node.limits import Limits
from ronda_node.outcomes import Headers, Truncation
from ronda_node.reasons import Reason
from ronda_node.spool import Spool

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")


class ResponseRefused(Exception):
    """Nothing of this response can be kept."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


class ResponseReader:
    """`feed` until `is_over`, or `feed_eof`. Either may raise `ResponseRefused`."""

    __slots__ = (
        "_decoded", "_entity", "_framing", "_is_bomb", "_is_head_request", "_limits", "_parser", "_raw",
        "_skipped_bytes", "body", "has_bytes", "has_leftover", "head", "headers", "is_over", "may_be_reused",
        "status", "truncated",
    )  # fmt: skip

    def __init__(self, *, is_head_request: bool, limits: Limits) -> None:
        self.head = b""
        self.status = 0
        self.headers: Headers = ()
        self.body = Spool(limits.memory_bytes)
        self.truncated: Truncation | None = None
        self.is_over = False
        self.has_bytes = False
        self.has_leftover = False
        self.may_be_reused = False
        self._is_head_request = is_head_request
        self._limits = limits
        self._raw = b""
        self._skipped_bytes = 0
        self._parser: httptools.HttpResponseParser | None = None
        self._framing: Framing | None = None
        self._entity = hashlib.sha256()
        self._decoded: DecodedSize | None = None
        self._is_bomb = False

    @property
    def has_head(self) -> bool:
        return self._framing is not None

    @property
    def entity_digest(self) -> str | None:
        """Of the body without its chunked framing; none if it had no such framing."""
        return f"sha256:{self._entity.hexdigest()}" if isinstance(self._framing, Chunked) else None

    def feed(self, data: bytes) -> None:
        self.has_bytes = True
        while data and self._framing is None:
            data = self._feed_head(data)
        if self._framing is not None and not self.is_over:
            self._feed_body(self._framing, data)
        elif data:
            self.has_leftover = True

    def feed_eof(self, *, is_clean: bool) -> None:
        """The peer is gone; cleanly if it said so."""
        if self._framing is None:
            seen = self._skipped_bytes + len(self._raw)
            raise ResponseRefused(Reason.DISCONNECTED, f"The connection was closed after {seen} bytes.")
        if not self.is_over and not (is_clean and isinstance(self._framing, UntilClose)):
            self.truncated = Truncation.DISCONNECT
        self.is_over = True
        self.may_be_reused = False

    def cut(self, truncation: Truncation) -> None:
        self.truncated = truncation
        self.is_over = True
        self.may_be_reused = False

    def _feed_head(self, data: bytes) -> bytes:
        """What is left of `data` after the head, or after an interim one."""
        if not self._raw:
            stripped = data.lstrip(b"\r\n")
            self._skipped_bytes += len(data) - len(stripped)
            data = stripped
        known = len(self._raw)
        self._raw += data
        found = _END_OF_HEAD.search(self._raw, max(0, known - 2))
        end = found.end() if found else len(self._raw)
        readable = self._readable_end(end)
        self._parse(self._raw[known : readable or end])
        if readable is not None:
            limits = self._limits
            detail = f"More than {limits.header_count} headers or {limits.header_bytes} bytes of them."
            raise ResponseRefused(Reason.TOO_MANY_HEADERS, detail)
        head, rest = self._raw[:end], self._raw[end:]
        if not found:
            return b""
        self._finish_head(head)
        return rest

    def _readable_end(self, end: int) -> int | None:
        """Where headers became too long or too many; none if they did not. What comes before decides first."""
        room = self._limits.header_bytes - self._skipped_bytes
        # The status line and the empty one are no headers.
        most_lines = self._limits.header_count + 2
        if self._raw.count(b"\n", 0, end) > most_lines:
            beyond = self._raw[:end].split(b"\n", most_lines + 1)[-1]
            return min(room, end - len(beyond))
        return room if end > room else None

    def _parse(self, data: bytes) -> None:
        if self._parser is None:
            self._parser = httptools.HttpResponseParser(self)
            # What browsers forgive. The bytes are kept, and never passed on to another server.
            self._parser.set_dangerous_leniencies(
                lenient_headers=True,
                lenient_chunked_length=True,
                lenient_transfer_encoding=True,
                lenient_optional_cr_before_lf=True,
            )
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            raise ResponseRefused(Reason.BAD_HTTP, "The server switches protocols, unasked.") from None
        except httptools.HttpParserError as error:
            raise ResponseRefused(Reason.BAD_HTTP, f"This is not HTTP/1: {error}.") from None

    def _finish_head(self, head: bytes) -> None:
        if self._parser is None or not head.startswith(b"HTTP/1."):
            raise ResponseRefused(Reason.BAD_HTTP, "This is not HTTP/1.")
        status = self._parser.get_status_code()
        self._parser, self._raw = None, b""
        if 100 <= status < 200:
            self._skipped_bytes += len(head)
            return
        if not 200 <= status < 600:
            raise ResponseRefused(Reason.BAD_HTTP, f"{status} is no status of HTTP (RFC 9110 §15).")
        self.head, self.status = head, status
        self.headers = _headers_of(head)
        self._framing = self._framing_of(self.headers)
        if self._framing.is_complete:
            self.is_over = True

    def _framing_of(self, headers: Headers) -> Framing:
        transfer, encodings, length, connection = [], [], None, b""
        for name, value in headers:
            name = name.lower()
            if name == b"content-length":
                length = int(value)
            elif name == b"content-encoding":
                encodings.append(value)
            elif name == b"transfer-encoding":
                transfer += [coding.strip().lower() for coding in value.split(b",")]
            elif name == b"connection":
                connection += value.lower()
        is_old = self.head.startswith(b"HTTP/1.0")
        self.may_be_reused = b"close" not in connection and (not is_old or b"keep-alive" in connection)
        if self._is_head_request or self.status in (204, 304):
            return FixedLength(0, None)
        on_payload = self._count_decoded if self._starts_counting(encodings + transfer) else None
        if transfer and transfer[-1] == b"chunked":
            # Both lengths at once is how requests are smuggled (RFC 9112 §6.1): never use that connection again.
            self.may_be_reused = self.may_be_reused and length is None
            return Chunked(self._take_entity)
        if transfer or length is None:
            self.may_be_reused = False
            return UntilClose(on_payload)
        return FixedLength(length, on_payload)

    def _starts_counting(self, values: list[bytes]) -> bool:
        encodings = encodings_in(values)
        if len(encodings) > MOST_ENCODINGS:
            raise ResponseRefused(Reason.NESTED_ENCODING, f"The body is encoded {len(encodings)} times over.")
        if encodings:
            self._decoded = DecodedSize(encodings, self._limits.decoded_bytes)
        return bool(encodings)

    def _take_entity(self, payload: bytes) -> None:
        self._entity.update(payload)
        if self._decoded is not None:
            self._count_decoded(payload)

    def _count_decoded(self, payload: bytes) -> None:
        if self._decoded is not None and not self._is_bomb:
            self._is_bomb = not self._decoded.feed(payload)

    def _feed_body(self, framing: Framing, data: bytes) -> None:
        room = self._limits.wire_bytes - self.body.size
        is_too_long = len(data) > room
        if is_too_long:
            data = data[:room]
        taken = framing.feed(data)
        if self._is_bomb:
            # What is kept unfolds to no more than the cap: nobody would take it otherwise.
            self.cut(Truncation.LENGTH)
            return
        if taken:
            self.body.append(data if taken == len(data) else data[:taken])
        if framing.is_complete:
            self.is_over = True
            self.has_leftover = taken < len(data) or is_too_long
        elif framing.is_broken:
            self.cut(Truncation.UNSPECIFIED)
        elif is_too_long:
            self.cut(Truncation.LENGTH)


def _headers_of(head: bytes) -> Headers:
    if b"\n " in head or b"\n\t" in head:
        head = _FOLD.sub(b" ", head)
    lines = head.split(b"\n")[1:-2]
    return tuple((name, value.strip()) for name, _, value in (line.partition(b":") for line in lines))
