"""Reading one response: any split of the bytes gives the same, and what is kept is what came."""

from __future__ import annotations

import gzip
import zlib
from itertools import pairwise

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda_node.content_decoding import DecodedSize, zstd
from ronda_node.limits import Limits
from ronda_node.outcomes import Truncation
from ronda_node.reasons import Reason
from ronda_node.response_reader import ResponseReader, ResponseRefused

SMALL = Limits(header_bytes=512, header_count=12, wire_bytes=400, decoded_bytes=2000, memory_bytes=64)
Seen = tuple[object, ...]


def read(
    pieces: list[bytes], limits: Limits = SMALL, *, is_head: bool = False, is_clean: bool = True
) -> Seen:
    reader = ResponseReader(is_head_request=is_head, limits=limits)
    try:
        for piece in pieces:
            reader.feed(piece)
            if reader.is_over:
                break
        else:
            reader.feed_eof(is_clean=is_clean)
    except ResponseRefused as refused:
        return ("refused", refused.reason)
    finally:
        body = reader.body.read()
        reader.body.close()
    return (reader.status, reader.head, reader.headers, body, reader.truncated, reader.entity_digest)


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[a:b] for a, b in pairwise(places)] or [data]


def chunked(*chunks: bytes, trailers: bytes = b"") -> bytes:
    return (
        b"".join(b"%x;ext=1\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        + b"0\r\n"
        + trailers
        + b"\r\n"
    )


HEADS = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 404\r\n",
        b"HTTP/1.1 200 OK\nServer: bare\n",
        b"\r\n\r\nHTTP/1.1 200 OK\r\nX-Latin: \xe9\xff\r\nX-Empty:\r\nX-Next: 1\r\nX-Folded: a\r\n b\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 204 No Content\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 OK\r\n",
        b"HTTP/1.1 200 OK\r\nbroken header\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n",
    ]
)
BODIES = st.one_of(
    st.binary(max_size=600).map(lambda body: b"Content-Length: %d\r\n\r\n" % len(body) + body),
    st.binary(max_size=200).map(lambda body: b"Content-Length: 300\r\n\r\n" + body),
    st.binary(max_size=600).map(lambda body: b"\r\n" + body),
    st.lists(st.binary(min_size=1, max_size=200), max_size=4).map(
        lambda chunks: b"Transfer-Encoding: chunked\r\n\r\n" + chunked(*chunks, trailers=b"X-Sum: 1\r\n")
    ),
    st.binary(max_size=60).map(lambda junk: b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" + junk),
    st.just(b"X: y\r\n" * 20 + b"\r\n"),
    st.just(b"X: " + b"y" * 600 + b"\r\n\r\n"),
    st.just(b"X: never ends"),
)


@given(
    head=HEADS,
    body=BODIES,
    garbage=st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n\r\n", b"\x00"]),
    cuts=st.lists(st.integers(0, 2000), max_size=12),
    is_head=st.booleans(),
    is_clean=st.booleans(),
)
def test_splits_do_not_matter(
    head: bytes, body: bytes, garbage: bytes, cuts: list[int], is_head: bool, is_clean: bool
) -> None:
    stream = head + body + garbage
    whole = read([stream], is_head=is_head, is_clean=is_clean)
    assert read(split(stream, cuts), is_head=is_head, is_clean=is_clean) == whole
    assert read([stream[i : i + 1] for i in range(len(stream))], is_head=is_head, is_clean=is_clean) == whole


@given(chunks=st.lists(st.binary(min_size=1, max_size=50), max_size=5), cuts=st.lists(st.integers(0, 500)))
def test_chunked_framing_is_kept(chunks: list[bytes], cuts: list[int]) -> None:
    wire = chunked(*chunks, trailers=b"A: b\r\n")
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    reader = ResponseReader(is_head_request=False, limits=Limits())
    for piece in split(head + wire + b"HTTP/1.1 500 Surprise", cuts):
        if not reader.is_over:
            reader.feed(piece)
    assert reader.head == head
    assert reader.body.read() == wire
    assert reader.truncated is None


def test_headers() -> None:
    head = b"HTTP/1.1 200 OK\r\nA: 1\r\nB:\r\nC:  x \r\n\ty\r\nA: \xff\r\nContent-Length: 0\r\n\r\n"
    seen = read([head])
    assert seen[2] == ((b"A", b"1"), (b"B", b""), (b"C", b"x  y"), (b"A", b"\xff"), (b"Content-Length", b"0"))


@pytest.mark.parametrize(
    ("stream", "may_be_reused"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", True),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: Keep-Alive\r\n\r\nok", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n", False),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", True),
    ],
)
def test_keep_alive(stream: bytes, may_be_reused: bool) -> None:
    reader = ResponseReader(is_head_request=False, limits=Limits())
    reader.feed(stream)
    assert reader.is_over
    assert reader.may_be_reused is may_be_reused


ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": lambda data: zlib.compress(data)[2:-4],
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("name", ENCODERS)
def test_decoded_size_is_bounded(name: str) -> None:
    body = ENCODERS[name](b"0" * 10_000_000)
    encoding = [name.removeprefix("raw ")]
    for step in (1, 7, len(body)):
        pieces = [body[i : i + step] for i in range(0, len(body), step)]
        small, large = DecodedSize(encoding, 9_999_999), DecodedSize(encoding, 10_000_000)
        assert not all(small.feed(piece) for piece in pieces)
        assert all(large.feed(piece) for piece in pieces)


def test_bomb_behind_other_members() -> None:
    bomb = b"0" * 5_000_000
    assert not DecodedSize(["gzip"], 1_000_000).feed(gzip.compress(b"a") + b"\0\0" + gzip.compress(bomb))
    assert not DecodedSize(["zstd"], 1_000_000).feed(zstd.compress(b"a") + zstd.compress(bomb))
    assert not DecodedSize(["gzip"], 1_000_000).feed(gzip.compress(b"") * 2000)
    assert not DecodedSize(["zstd"], 1_000_000).feed(zstd.compress(b"") * 2000)


def test_bomb_in_a_bomb() -> None:
    inner = gzip.compress(b"0" * 50_000_000)
    assert not DecodedSize(["gzip", "br"], 1_000_000).feed(brotli.compress(inner))
    assert DecodedSize(["gzip", "br"], 60_000_000).feed(brotli.compress(inner))


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_undecodable_bodies_are_kept(name: str) -> None:
    assert all(DecodedSize([name], 100).feed(b"this is no such thing" * 10) for _ in range(3))


def test_large_zstd_windows_are_not_opened() -> None:
    options = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.compression_level: 1}
    stream = zstd.ZstdCompressor(options=options)
    body = stream.compress(b"0" * 1000) + stream.flush()
    assert DecodedSize(["zstd"], 10).feed(body)


def test_encoded_too_often() -> None:
    assert read([b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Encoding: br\r\n\r\n"]) == (
        "refused",
        Reason.NESTED_ENCODING,
    )


def test_flood_of_tiny_chunks() -> None:
    reader = ResponseReader(is_head_request=False, limits=Limits())
    reader.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    flood = b"1\r\nx\r\n" * 1000
    for _ in range(1000):
        reader.feed(flood)
        if reader.is_over:
            break
    assert reader.truncated is Truncation.UNSPECIFIED
    reader.body.close()
