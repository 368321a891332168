"""The body of an archived response, as a reader would have seen it."""

from __future__ import annotations

import gzip

import brotli
import pytest

from ronda.archive.payload import payload_of

TEXT = b"User-agent: *\nDisallow: /private/\n" * 50


def _record(body: bytes, *fields: bytes) -> bytes:
    head = b"\r\n".join([b"HTTP/1.1 200 OK", *fields])
    return b"WARC/1.1\r\nWARC-Type: response\r\n\r\n" + head + b"\r\n\r\n" + body + b"\r\n\r\n"


def _chunked(body: bytes) -> bytes:
    pieces = [body[start : start + 37] for start in range(0, len(body), 37)]
    return (
        b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\nX-Trailer: yes\r\n\r\n"
    )


@pytest.mark.parametrize("is_chunked", [False, True])
@pytest.mark.parametrize("encoding", ["", "gzip", "br"])
def test_framing_and_encoding_are_taken_off(encoding: str, is_chunked: bool) -> None:
    body = {"": lambda data: data, "gzip": gzip.compress, "br": brotli.compress}[encoding](TEXT)
    fields = [b"Content-Type: text/plain"]
    if encoding:
        fields.append(b"Content-Encoding: " + encoding.encode())
    if is_chunked:
        body, fields = _chunked(body), [*fields, b"Transfer-Encoding: chunked"]
    assert payload_of(_record(body, *fields), 10**6) == TEXT
    assert payload_of(_record(body, *fields), 100) == TEXT[:100]


def test_broken_encoding_gives_what_there_is() -> None:
    assert payload_of(_record(b"no gzip at all", b"Content-Encoding: gzip"), 100) == b""
    cut = gzip.compress(TEXT)[:-20]
    assert TEXT.startswith(payload_of(_record(cut, b"Content-Encoding: gzip"), 10**6))
