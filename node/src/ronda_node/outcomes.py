"""What comes of a request: an exchange with its bytes, or a failure with its reason. Neither is an exception."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from ronda_node.reasons import Reason
from ronda_node.spool import Spool
from ronda_node.urls import CanonicalUrl

Headers = tuple[tuple[bytes, bytes], ...]


class Method(StrEnum):
    GET = "GET"
    HEAD = "HEAD"


class Truncation(StrEnum):
    """The values of WARC-Truncated: a cap on bytes, one on time, a peer that left, broken chunked framing."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"
    UNSPECIFIED = "unspecified"


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One leased request. `id` is the server's name for it, and stands in every record it leads to.

    The rest is what the server told of the page as it has it: an answer that is the same is not carried again.
    """

    id: str
    url: str
    method: Method = Method.GET
    if_none_match: str | None = None
    if_modified_since: str | None = None
    known_digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """`response_head` and `body` are the bytes as received, chunked framing and content encoding included;
    interim (1xx) responses are left out. Seconds count from `started_at`, when the request was sent."""

    url: CanonicalUrl
    method: Method
    request_head: bytes
    response_head: bytes
    body: Spool
    status: int
    headers: Headers
    peer_address: str
    started_at: datetime
    first_byte_seconds: float
    total_seconds: float
    truncated: Truncation | None = None
    # Of the body without its chunked framing, which differs between two fetches of the same page.
    entity_digest: str | None = None

    @property
    def first_byte_at(self) -> datetime:
        return self.started_at + timedelta(seconds=self.first_byte_seconds)

    @property
    def ended_at(self) -> datetime:
        return self.started_at + timedelta(seconds=self.total_seconds)

    @property
    def wire_bytes(self) -> int:
        """Received, without TLS and interim responses."""
        return len(self.response_head) + self.body.size

    def header(self, name: bytes) -> bytes | None:
        """The first value under `name`, which is given in lower case."""
        return next((value for key, value in self.headers if key.lower() == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """`url` is canonical if it could be made so. `detail` is for people."""

    url: str
    reason: Reason
    detail: str
    started_at: datetime
    total_seconds: float = 0.0
    peer_address: str | None = None


Outcome = Exchange | Failure
