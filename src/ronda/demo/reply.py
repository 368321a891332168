"""A reply before it meets a socket: what conditional requests, HEAD and gzip then make of it."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

GZIP_FROM_BYTES = 256
CACHED_GZIP_BYTES = 64 * 1024


@dataclass(frozen=True)
class Reply:
    """What a site answers. `cut_at` sends fewer bytes than announced, as a broken server does."""

    body: bytes
    content_type: str
    status: int = 200
    etag: str | None = None
    last_modified: datetime | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_at: int | None = None

    def header_fields(self) -> dict[str, str]:
        fields = {"Content-Type": self.content_type, **self.headers}
        if self.etag:
            fields["ETag"] = self.etag
        if self.last_modified:
            fields["Last-Modified"] = http_date(self.last_modified)
        return fields


def text_reply(text: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(text.encode(), "text/plain; charset=utf-8", status, headers=headers or {})


def redirect_reply(location: str, status: int) -> Reply:
    return Reply(b"", "text/html; charset=utf-8", status, headers={"Location": location})


def http_date(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def is_not_modified(reply: Reply, headers: Mapping[str, str]) -> bool:
    """Whether 304 is due (RFC 9110, 13.2.2): If-None-Match decides alone when it is there."""
    if reply.status != 200:
        return False
    wanted_tags = headers.get("If-None-Match")
    if wanted_tags is not None:
        return reply.etag is not None and _matches(wanted_tags, reply.etag)
    since = headers.get("If-Modified-Since")
    if since is None or reply.last_modified is None:
        return False
    try:
        return reply.last_modified.replace(microsecond=0) <= parsedate_to_datetime(since).astimezone(UTC)
    except ValueError:
        return False  # an invalid date is ignored (RFC 9110, 13.1.3)


def accepts_gzip(accept_encoding: str) -> bool:
    for coding in accept_encoding.lower().split(","):
        name, _, parameters = coding.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return parameters.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def gzipped(body: bytes) -> bytes:
    """Compressed without a time stamp, so equal bodies stay equal; large ones are not kept."""
    return _cached_gzip(body) if len(body) <= CACHED_GZIP_BYTES else _gzip(body)


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=5, mtime=0)


_cached_gzip = lru_cache(maxsize=512)(_gzip)


def _matches(wanted_tags: str, etag: str) -> bool:
    """The weak comparison of RFC 9110, 8.8.3.2."""
    opaque = etag.removeprefix("W/")
    return any(
        tag.strip() == "*" or tag.strip().removeprefix("W/") == opaque for tag in wanted_tags.split(",")
    )
