"""The WARC records of a block, read by two other libraries."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import warnings
import zlib
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from ronda_node.block_file import BlockFile
from ronda_node.clock import utc_now
from ronda_node.fetcher import Fetched, Fetcher
from ronda_node.limits import Limits
from ronda_node.outcomes import Failure, FetchRequest, Method
from ronda_node.policy import ANYWHERE
from ronda_node.reasons import Reason
from ronda_node.warc_records import write_records
from tests.node.origin import Visitor, exchanging, page, run, serve

with warnings.catch_warnings():
    # FastWARC 1.1 warns of its own old classes when imported.
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator as FastWarc

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
ANSWERS = {
    "/plain": page(b"hello", b"Content-Type: text/plain"),
    "/empty": page(b""),
    "/chunked": CHUNKED + b"3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nX-Trailer: 1\r\n\r\n",
    "/simply-chunked": CHUNKED + b"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    "/gzip": page(gzip.compress(b"hello" * 100), b"Content-Encoding: gzip", b"Content-Type: text/plain"),
    "/br": page(brotli.compress(b"hello" * 100), b"Content-Encoding: br"),
    "/gzip-chunked": CHUNKED[:-2]
    + b"Content-Encoding: gzip\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
    % (len(gzip.compress(b"a", mtime=0)), gzip.compress(b"a", mtime=0)),
    "/image": page(bytes(range(256)) * 600, b"Content-Type: image/png"),
    "/large": page(b"lorem ipsum " * 20_000, b"Content-Type: text/html"),
    "/latin": b"HTTP/1.1 200 \xbfQu\xe9?\r\nX-Odd: caf\xe9\r\nContent-Length: 2\r\n\r\nok",
    "/bare": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "/moved": page(b"", b"Location: /plain", status=b"301 Moved"),
    "/away": page(b"", b"Location: http://elsewhere.example/", status=b"302 Found"),
    "/none": b"HTTP/1.1 204 No Content\r\n\r\n",
    "/unmodified": b'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
    "/cut": b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + b"z" * 250_000,
    "/broken": b"not http\r\n\r\n",
}


async def script(visitor: Visitor) -> None:
    while head := await visitor.request():
        await visitor.send(ANSWERS[head.split(b" ")[1].decode()])


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("block") / "block.warc.gz"

    async def scenario() -> int:
        limits = Limits(wire_bytes=245_000, memory_bytes=100_000)
        async with serve(script) as origin, exchanging(limits=limits) as exchanger:
            with BlockFile(path) as file:
                fetcher = Fetcher(exchanger, ANYWHERE)
                for number, name in enumerate(ANSWERS):
                    await file.add(await fetcher.fetch(FetchRequest(f"r{number}", origin.url(name))))
                await file.add(
                    await fetcher.fetch(FetchRequest("head", origin.url("/unmodified"), Method.HEAD))
                )
                await file.add(await fetcher.fetch(FetchRequest("refused\r\nx", "http://user@ñ x/\0")))
                assert file.size_bytes == path.stat().st_size
            return file.record_count

    # One request led to two exchanges, two to none.
    assert run(scenario()) == 2 * (len(ANSWERS) + 1) + 2
    return path


# warcio takes any module called brotli for brotlipy and falls over Google's (webrecorder/warcio#73), which FastWARC and
# we need: here it finds none, as in an environment of its own.
WARCIO = "import sys; sys.modules['brotli'] = None; from warcio.cli import main; main(sys.argv[1:])"


def test_warcio_check(block: Path) -> None:
    command = [sys.executable, "-c", WARCIO, "check", "-v", str(block)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("digest pass") == 2 * (len(ANSWERS) + 1) + 2


def test_fastwarc_agrees(block: Path) -> None:
    count = 0
    with block.open("rb") as file:
        for record in FastWarc(file, parse_http=False):
            assert record.verify_block_digest(), record.headers
            count += 1
    assert count == 2 * (len(ANSWERS) + 1) + 2
    with block.open("rb") as file:
        for record in FastWarc(file):
            # FastWARC does not see where a head with bare line feeds ends; warcio does.
            if record.headers["WARC-Type"] == "response" and "/bare" not in record.headers["WARC-Target-URI"]:
                assert record.verify_payload_digest(), record.headers


def test_one_member_each(block: Path) -> None:
    data, members = block.read_bytes(), 0
    while data:
        member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        assert member.decompress(data).startswith(b"WARC/1.1\r\n")
        assert member.eof
        data = member.unused_data
        members += 1
    assert members == 2 * (len(ANSWERS) + 1) + 2


def test_bytes_as_received(block: Path) -> None:
    found = {}
    with block.open("rb") as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            if record.rec_type == "response":
                path = "/" + record.rec_headers["WARC-Target-URI"].rsplit("/", 1)[1]
                found.setdefault(path, (record.raw_stream.read(), dict(record.rec_headers.headers)))
    assert set(found) == set(ANSWERS) - {"/broken"}
    for path, (content, _) in found.items():
        assert ANSWERS[path].startswith(content) if path == "/cut" else content == ANSWERS[path]
    headers = found["/cut"][1]
    assert headers["WARC-Truncated"] == "length"
    assert len(found["/cut"][0]) == len(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n") + 245_000
    headers = found["/chunked"][1]
    assert headers["Ronda-Entity-Digest"].startswith("sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e")
    assert found["/away"][1]["Ronda-Redirect"] == "other-host"
    for _, headers in found.values():
        assert headers["WARC-IP-Address"] == "127.0.0.1"
        assert headers["Ronda-Request"].startswith("r")
        assert 0 <= float(headers["Ronda-First-Byte-Seconds"]) <= float(headers["Ronda-Total-Seconds"])
        moment = datetime.strptime(headers["WARC-Date"], "%Y-%m-%dT%H:%M:%S.%fZ")  # noqa: DTZ007
        assert moment.year >= 2024


def test_decoded_by_readers(block: Path) -> None:
    """Not all of it: warcio takes trailers for text, and FastWARC ends the file at a chunk extension."""
    texts = {}
    with block.open("rb") as file:
        for record in ArchiveIterator(file):
            name = "/" + record.rec_headers["WARC-Target-URI"].rsplit("/", 1)[1]
            if record.rec_type == "response" and name != "/br":
                texts.setdefault(name, record.content_stream().read())
    assert texts["/plain"] == texts["/simply-chunked"] == b"hello"
    assert texts["/gzip"] == b"hello" * 100
    assert texts["/gzip-chunked"] == b"a"


def test_requests_and_steps_belong_together(block: Path) -> None:
    with block.open("rb") as file:
        records = [(record.rec_type, dict(record.rec_headers.headers)) for record in ArchiveIterator(file)]
    ids = {headers["WARC-Record-ID"] for _, headers in records}
    assert len(ids) == len(records)
    for (kind, headers), (next_kind, next_headers) in pairwise(records):
        if kind == "response":
            assert next_kind == "request"
            assert next_headers["WARC-Concurrent-To"] == headers["WARC-Record-ID"]
            assert next_headers["Ronda-Request"] == headers["Ronda-Request"]
    steps = [
        (headers["Ronda-Step"], headers["WARC-Target-URI"].rsplit("/", 1)[1])
        for kind, headers in records
        if kind == "response" and headers["Ronda-Request"] == f"r{list(ANSWERS).index('/moved')}"
    ]
    assert steps == [("0", "moved"), ("1", "plain")]


def test_failures_are_metadata(block: Path) -> None:
    with block.open("rb") as file:
        found = [
            (dict(record.rec_headers.headers), record.raw_stream.read().decode())
            for record in ArchiveIterator(file)
            if record.rec_type == "metadata"
        ]
    (broken, broken_text), (refused, refused_text) = found
    assert broken["Content-Type"] == "application/warc-fields"
    assert broken_text.startswith("reason: bad-http\r\ndetail: ")
    assert broken["Ronda-Request"] in broken_text
    assert refused["WARC-Target-URI"] == "http://user@%C3%B1%20x/%00"
    assert refused["Ronda-Request"] == "refused x"
    assert refused_text.splitlines()[0] in ("reason: userinfo", "reason: control-character")


@settings(max_examples=50)
@given(url=st.text(), detail=st.text(), name=st.text())
def test_nothing_breaks_out_of_its_field(url: str, detail: str, name: str) -> None:
    failure = Failure(url=url, reason=Reason.SCHEME, detail=detail, started_at=utc_now())
    out = io.BytesIO()
    write_records(Fetched(FetchRequest(name, url), (failure,)), out.write)
    out.seek(0)
    (record,) = list(ArchiveIterator(out, check_digests="raise"))
    assert record.rec_type == "metadata"
    assert [header for header, _ in record.rec_headers.headers] == [
        "WARC-Type",
        "WARC-Record-ID",
        "WARC-Date",
        "WARC-Target-URI",
        "Ronda-Request",
        "Ronda-Step",
        "WARC-Block-Digest",
        "Content-Type",
        "Content-Length",
    ]
