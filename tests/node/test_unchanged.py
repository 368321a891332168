"""Pages that did not change: the host is asked for news only, and what the server holds is not carried again."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Sequence
from io import BytesIO

import pytest
from warcio.archiveiterator import ArchiveIterator

from ronda_node.fetcher import Fetcher
from ronda_node.outcomes import FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.server import _request
from ronda_node.warc_records import IDENTICAL, write_records
from tests.node.origin import Visitor, exchanging, page, run, serve

ETAG, DATE = '"v1"', "Sun, 15 Nov 2026 10:00:00 GMT"
BODY = b"<p>As it was.</p>" * 100
DIGEST = f"sha256:{hashlib.sha256(BODY).hexdigest()}"
Record = tuple[str, dict[str, str], bytes]


async def origin_with_validators(visitor: Visitor) -> None:
    """Knows its validators, but has a page that never says 304, one that moved, and one that is cut off."""
    while head := await visitor.request():
        path = head.split(b" ")[1].decode()
        is_known = f"If-None-Match: {ETAG}".encode() in head or f"If-Modified-Since: {DATE}".encode() in head
        if path == "/moved":
            await visitor.send(page(b"", b"Location: /always", status=b"301 Moved"))
        elif path == "/gone":
            await visitor.send(page(BODY, status=b"404 Not Found"))
        elif path == "/page" and is_known:
            await visitor.send(f"HTTP/1.1 304 Not Modified\r\nETag: {ETAG}\r\n\r\n".encode())
        else:
            await visitor.send(page(BODY, f"ETag: {ETAG}".encode(), b"Content-Type: text/html"))


def records_of(*requests: FetchRequest) -> tuple[list[list[Record]], list[bytes]]:
    """The records of each request, and what the host was asked."""

    async def scenario() -> tuple[list[list[Record]], list[bytes]]:
        async with serve(origin_with_validators) as origin, exchanging() as exchanger:
            fetcher, read = Fetcher(exchanger, ANYWHERE), []
            for request in requests:
                written = BytesIO()
                told = {"id": request.id, "url": origin.url(request.url)}
                more = {
                    "etag": request.if_none_match or "",
                    "last_modified": request.if_modified_since or "",
                    "digest": request.known_digest or "",
                }
                fetched = await fetcher.fetch(_request({**told, **more}))
                write_records(fetched, written.write)
                fetched.close()
                read.append(_read(written.getvalue()))
            return read, origin.heads

    return run(scenario())


def _read(data: bytes) -> list[Record]:
    for record in ArchiveIterator(BytesIO(data), check_digests="raise"):
        record.content_stream().read()
    return [
        (record.rec_type, dict(record.rec_headers.headers), record.content_stream().read())
        for record in ArchiveIterator(BytesIO(data), no_record_parse=True)
    ]


@pytest.mark.parametrize("validators", [(ETAG, None), (None, DATE), (ETAG, DATE)])
def test_unchanged_by_its_own_word(validators: Sequence[str | None]) -> None:
    etag, date = validators
    [[response, request]], [head] = records_of(
        FetchRequest("1", "/page", if_none_match=etag, if_modified_since=date, known_digest=DIGEST)
    )
    assert (f"If-None-Match: {etag}\r\n".encode() in head) == bool(etag)
    assert (f"If-Modified-Since: {date}\r\n".encode() in head) == bool(date)
    assert response[0] == "response"
    assert response[2].startswith(b"HTTP/1.1 304 ")
    assert (request[0], request[2]) == ("request", head)


def test_unchanged_by_its_digest() -> None:
    [[revisit, request]], _ = records_of(FetchRequest("1", "/always", known_digest=DIGEST))
    kind, fields, block = revisit
    assert (kind, fields["WARC-Profile"], fields["WARC-Payload-Digest"]) == ("revisit", IDENTICAL, DIGEST)
    assert block.startswith(b"HTTP/1.1 200 OK\r\n")
    assert block.endswith(b"\r\n\r\n")
    assert int(fields["Content-Length"]) == len(block), "the head, and no payload"
    assert request[1]["WARC-Concurrent-To"] == fields["WARC-Record-ID"]


def test_what_is_new_or_elsewhere_or_an_error_comes_whole() -> None:
    other = f"sha256:{hashlib.sha256(b'other').hexdigest()}"
    (plain, changed, moved, gone), _ = records_of(
        FetchRequest("1", "/always"),
        FetchRequest("2", "/always", known_digest=other, if_none_match='"v0"'),
        FetchRequest("3", "/moved", known_digest=DIGEST),
        FetchRequest("4", "/gone", known_digest=DIGEST),
    )
    for records in (plain, changed, moved, gone):
        assert {kind for kind, _, _ in records} == {"response", "request"}
        assert [block for kind, _, block in records if kind == "response"][-1].endswith(BODY)


def test_servers_of_older_releases_tell_nothing() -> None:
    assert _request({"id": "1", "url": "http://a.example/"}) == FetchRequest("1", "http://a.example/")


def test_packed_pages_are_compared_as_they_came() -> None:
    packed = gzip.compress(BODY, mtime=0)

    async def scenario() -> list[Record]:
        async def script(visitor: Visitor) -> None:
            while await visitor.request():
                await visitor.send(page(packed, b"Content-Encoding: gzip"))

        digest = f"sha256:{hashlib.sha256(packed).hexdigest()}"
        async with serve(script) as origin, exchanging() as exchanger:
            request = FetchRequest("1", origin.url("/"), known_digest=digest)
            fetched = await Fetcher(exchanger, ANYWHERE).fetch(request)
            written = BytesIO()
            write_records(fetched, written.write)
            fetched.close()
            return _read(written.getvalue())

    assert [kind for kind, _, _ in run(scenario())] == ["revisit", "request"]
