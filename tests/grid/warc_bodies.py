"""Records as a node writes them, made by hand."""

from __future__ import annotations

import gzip
import hashlib
import uuid
from datetime import UTC, datetime

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello"

AGENT = "RondaBot/1 (+https://ronda.example/bot)"


def address_of(url: str) -> str:
    """Each host has its own: those of one address wait for each other."""
    mark = hashlib.blake2b(url.partition("://")[2].partition("/")[0].encode(), digest_size=3).digest()
    return f"11.{mark[0]}.{mark[1]}.{mark[2]}"


def member(kind: str, url: str, request_id: str, block: bytes, **changes: str) -> bytes:
    """One record; `changes` replace or (empty) drop fields."""
    payload = block.partition(b"\r\n\r\n")[2]
    fields = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        "WARC-Date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "WARC-Target-URI": url,
        "WARC-IP-Address": address_of(url),
        "Ronda-Request": request_id,
        "Ronda-Total-Seconds": "0.120000",
        "WARC-Block-Digest": f"sha256:{hashlib.sha256(block).hexdigest()}",
        "WARC-Payload-Digest": f"sha256:{hashlib.sha256(payload).hexdigest()}",
        "Content-Length": str(len(block)),
    } | {name.replace("_", "-"): value for name, value in changes.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return gzip.compress(f"WARC/1.1\r\n{head}\r\n".encode() + block + b"\r\n\r\n")


def pair(url: str, request_id: str, block: bytes = PAGE) -> bytes:
    asked = f"GET {url} HTTP/1.1\r\nUser-Agent: {AGENT}\r\n\r\n".encode()
    return member("response", url, request_id, block) + member("request", url, request_id, asked)


def with_lines(record: bytes, *, first: bytes = b"", last: bytes = b"") -> bytes:
    """The same record with lines of one's own, before its other fields or behind them."""
    head, end, block = gzip.decompress(record).partition(b"\r\n\r\n")
    version, _, fields = head.partition(b"\r\n")
    return gzip.compress(version + b"\r\n" + first + fields + (b"\r\n" + last if last else b"") + end + block)


def failure(url: str, request_id: str, reason: str = "connect") -> bytes:
    block = f"reason: {reason}\r\ndetail: refused\r\n".encode()
    return member("metadata", url, request_id, block, WARC_Payload_Digest="")


def response(status: int, body: bytes, mime: str = "text/html", location: str = "") -> bytes:
    more = f"Location: {location}\r\n" if location else ""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {mime}\r\nContent-Length: {len(body)}\r\n{more}\r\n"
    return head.encode() + body
