"""Bodies of uploads: as long as their heads say, and no bombs, however they are framed."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda.grid.errors import BadUpload
from ronda.grid.upload_reader import ReadLimits, ReadRecord, read_records
from ronda_node.limits import Limits
from ronda_node.response_reader import ResponseReader
from tests.grid.warc_bodies import member

MEGABYTE = 1_000_000
LIMITS = ReadLimits(decoded_bytes=MEGABYTE)


def read(block: bytes, limits: ReadLimits = LIMITS, **changes: str) -> ReadRecord:
    [record] = read_records(BytesIO(member("response", "http://a.example/", "1", block, **changes)), limits)
    return record


def answer(body: bytes, *lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in ("HTTP/1.1 200 OK", *lines, "")).encode() + body


def chunked(body: bytes, size: int = 500) -> bytes:
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def bomb_of(count: int) -> bytes:
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(compressor.compress(bytes(MEGABYTE)) for _ in range(count)) + compressor.flush()


BOMB = bomb_of(3)
BOMBS = {
    "gzip": answer(BOMB, "Content-Encoding: gzip"),
    "capital letters": answer(BOMB, "CONTENT-ENCODING: X-GZIP"),
    "with a length": answer(BOMB, "Content-Encoding: gzip", f"Content-Length: {len(BOMB)}"),
    "in chunks": answer(chunked(BOMB), "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
    "by its transfer": answer(chunked(BOMB), "Transfer-Encoding: gzip, chunked"),
    "brotli": answer(brotli.compress(bytes(3 * MEGABYTE)), "Content-Encoding: br"),
    "twice": answer(gzip.compress(BOMB), "Content-Encoding: gzip, gzip"),
    "behind framing that is none": answer(
        b"z" * 8192 + BOMB, "Content-Encoding: gzip", "Transfer-Encoding: chunked"
    ),
    "behind its end": answer(
        b"0\r\n\r\n" + BOMB, "Content-Encoding: gzip", "Transfer-Encoding: chunked"
    ),
    "encoded over and over": answer(b"x", "Content-Encoding: gzip, gzip, gzip"),
}  # fmt: skip


@pytest.mark.parametrize("truncated", ["", "length"])
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(name: str, truncated: str) -> None:
    with pytest.raises(BadUpload, match=r"unfolds|goes on|times over"):
        read(BOMBS[name], WARC_Truncated=truncated)


def test_a_bomb_of_200_megabytes_is_refused_by_default() -> None:
    with pytest.raises(BadUpload, match="unfolds"):
        read(answer(bomb_of(200), "Content-Encoding: gzip"), ReadLimits())


@pytest.mark.parametrize("size", [0, 1, 1000, MEGABYTE])
def test_what_is_within_the_cap_is_taken(size: int) -> None:
    packed = gzip.compress(bytes(size))
    for block in (
        answer(packed, "Content-Encoding: gzip", f"Content-Length: {len(packed)}"),
        answer(chunked(packed), "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
        answer(b"no gzip at all", "Content-Encoding: gzip"),
    ):
        assert read(block).status == 200


@given(step=st.integers(500, 70_000), is_chunked=st.booleans())
def test_what_a_node_cut_off_is_taken(step: int, is_chunked: bool) -> None:
    """Its cap is ours: what it keeps of a bomb is no bomb."""
    lines = ["Content-Encoding: gzip", *(["Transfer-Encoding: chunked"] if is_chunked else [])]
    sent = answer(chunked(BOMB) if is_chunked else BOMB, *lines)
    reader = ResponseReader(is_head_request=False, limits=Limits(decoded_bytes=MEGABYTE))
    for start in range(0, len(sent), step):
        if not reader.is_over:
            reader.feed(sent[start : start + step])
    assert reader.truncated == "length"
    block = reader.head + b"".join(reader.body.pieces())
    assert read(block, WARC_Truncated="length").fields["warc-truncated"] == "length"


def test_lengths() -> None:
    head = "Content-Length: 9999"
    with pytest.raises(BadUpload, match="Content-Length"):
        read(answer(b"x" * 36, head))
    with pytest.raises(BadUpload, match="Content-Length"):
        read(answer(b"x" * 36, "Content-Length: 35"), WARC_Truncated="length")
    assert read(answer(b"x" * 36, head), WARC_Truncated="disconnect")
    assert read(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9999\r\n\r\n").status == 304


def test_a_head_without_an_end() -> None:
    with pytest.raises(BadUpload, match="no end"):
        read(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
