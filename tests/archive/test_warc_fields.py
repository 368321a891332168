"""Header lines of WARC records: what we read strictly, every reader reads alike; what others wrote is made so."""

from __future__ import annotations

import gzip
import hashlib
import string
from io import BytesIO

import pytest
from fastwarc.warc import ArchiveIterator as FastWarcRecords
from hypothesis import example, given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator as WarcioRecords

from ronda.archive.file_reader import records_in
from ronda.archive.record_parser import BrokenRecord
from ronda.archive.warc_fields import BadFields, made_strict, strict_fields, tolerant_fields

BLOCK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
DIGEST = f"sha256:{hashlib.sha256(BLOCK).hexdigest()}"
LINES = [
    b"WARC-Type: response",
    b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>",
    b"WARC-Date: 2026-11-18T00:00:00Z",
    b"WARC-Target-URI: http://a.example/",
    f"WARC-Block-Digest: {DIGEST}".encode(),
    b"Content-Type: application/http; msgtype=response",
    f"Content-Length: {len(BLOCK)}".encode(),
]
NAMES = ["WARC-Target-URI", "WARC-Type", "WARC-Date", "Content-Length", "warc-target-uri", "X"]
# What separates and joins lines and words, for one reader or another.
ODD = [
    "\r",
    "\n",
    "\r\n",
    "\n\n",
    " ",
    "\t",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2028",
    "\ufeff",
    ":",
    "\0",
    "",
]


def head_of(lines: list[bytes]) -> bytes:
    return b"\r\n".join([b"WARC/1.1", *lines])


def record_of(lines: list[bytes]) -> bytes:
    return head_of(lines) + b"\r\n\r\n" + BLOCK + b"\r\n\r\n"


odd = st.sampled_from(ODD)
lines = st.one_of(
    st.builds(
        lambda before, name, between, value, behind: (
            before + name + between + ":" + value + behind
        ).encode(),
        odd,
        st.sampled_from(NAMES),
        odd,
        st.sampled_from([" http://other.example/", "5", " metadata", "x", ""]),
        odd,
    ),
    st.builds(lambda *parts: b"".join(parts), st.binary(max_size=5), st.just(b":"), st.binary(max_size=5)),
    st.text(string.printable, max_size=12).map(str.encode),
)


@given(st.lists(st.tuples(st.integers(0, len(LINES)), lines), max_size=3))
@example([(0, b"WARC-Target-URI: http://other.example/")])
@example([(7, "\xa0WARC-Target-URI: http://other.example/".encode())])
@example([(7, b" 5")])
def test_who_reads_it_reads_the_same(more: list[tuple[int, bytes]]) -> None:
    mixed = list(LINES)
    for place, line in more:
        mixed.insert(place, line)
    packed = gzip.compress(record_of(mixed))
    try:
        [ours] = records_in(BytesIO(packed), 0, len(packed))
    except BrokenRecord:
        return
    names = ("WARC-Target-URI", "WARC-Type", "WARC-Date")
    [fast] = [
        tuple(map(record.headers.get, names)) for record in FastWarcRecords(BytesIO(packed), parse_http=False)
    ]
    [warcio] = [
        (*map(record.rec_headers.get_header, names), len(record.raw_stream.read()))
        for record in WarcioRecords(BytesIO(packed), no_record_parse=True)
    ]
    found = (ours.url, ours.kind, ours.fields["warc-date"])
    assert found == ("http://a.example/", "response", "2026-11-18T00:00:00Z")
    assert fast == found
    assert warcio == (*found, len(BLOCK))


@given(st.lists(lines, max_size=6))
def test_what_others_wrote_is_made_strict(some: list[bytes]) -> None:
    try:
        read = tolerant_fields(head_of([*some, *LINES]))
    except BadFields:
        assert some
        return
    ours = made_strict(read)
    written = head_of([f"{name}: {value}".encode() for name, value in ours])
    assert strict_fields(written) == ours
    assert {name.lower(): value for name, value in ours}.items() >= {
        ("warc-type", "response"),
        ("warc-target-uri", "http://a.example/"),
        ("content-length", str(len(BLOCK))),
    }


def test_only_what_may_stand_twice_does() -> None:
    twice = [b"WARC-Concurrent-To: <urn:a>", b"WARC-Concurrent-To: <urn:b>"]
    assert len(strict_fields(head_of([*LINES, *twice]))) == len(LINES) + 2
    assert len(made_strict(tolerant_fields(head_of([*LINES, *twice])))) == len(LINES) + 2
    with pytest.raises(BadFields, match="WARC-Date twice"):
        strict_fields(head_of([*LINES, b"WARC-Date: 2026-11-18T00:00:00Z"]))


def test_long_header() -> None:
    packed = gzip.compress(record_of([*LINES, b"X: " + b"x" * 500_000]))
    with pytest.raises(BrokenRecord, match="too long"):
        list(records_in(BytesIO(packed), 0, len(packed)))
