"""WARC files from elsewhere: taken once, checked, found again; and out again, as a file that needs no other."""

from __future__ import annotations

import base64
import gzip
import hashlib
import shutil
import subprocess
import threading
import tracemalloc
import uuid
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from warcio.checker import Checker
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.errors import NoSuchCollection
from ronda.archive.export import self_contained
from ronda.archive.extracting import Extractor
from ronda.archive.file_jobs import REINDEX, VERIFY
from ronda.archive.importing import start_import
from ronda.archive.models import Capture, Collection, Text
from ronda.archive.queries import visible_captures
from ronda.archive.reading import payload
from ronda.archive.texts import read_due_texts
from ronda.errors import Forbidden
from ronda.jobs.models import Job
from ronda.jobs.services import run
from tests.archive.filling import Page, a_site, keep, whole_index
from tests.archive.test_verifying import result_of
from tests.people import person_with

pytestmark = pytest.mark.django_db(transaction=True)

DATE = "2020-02-02T20:20:02Z"


@pytest.fixture
def actor(archive_home: Path) -> Person:
    Collection.objects.get_or_create(slug="cultural", defaults={"name": "Cultural"})
    Collection.objects.get_or_create(slug="scientific", defaults={"name": "Scientific"})
    return person_with(Role.DIRECTOR)


def imported(actor: Person, data: bytes, name: str = "theirs.warc.gz") -> dict[str, Any]:
    job = start_import(actor=actor, collection="cultural", name=name, body=BytesIO(data))
    run(job_id=job.pk, worker="test", stopping=threading.Event())
    ended = Job.objects.get(pk=job.pk)
    assert ended.state == "succeeded", ended.error
    assert ended.result is not None
    return ended.result


def by_an_old_hand() -> bytes:
    """With lines folded, said twice, without a colon or a name, and with what no name has in it."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>old</p>"
    lines = [
        "WARC/1.0", "WARC-Type: response", "WARC-Target-URI: http://wrong.example/",
        "WARC-Target-URI: http://theirs.example/old", f"WARC-Date: {DATE}", "WARC-Record-ID: <urn:x:1>",
        "WARC-Concurrent-To: <urn:x:2>", "WARC-Concurrent-To: <urn:x:3>", "X-Note: a long", "\tone", "X note: y",
        "no field", ": nameless", "X-Feed: a\nb", f"Content-Length: {len(block)}",
    ]  # fmt: skip
    return gzip.compress("\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n")


def by_warcio(*, is_packed: bool = True, pages: int = 3) -> bytes:
    """As warcio (and with it Browsertrix's older relatives) writes: warcinfo, response, request, revisit, resource."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=is_packed)
    writer.write_record(writer.create_warcinfo_record("theirs.warc.gz", {"software": "theirs"}))
    for number in range(pages):
        url = f"http://theirs.example/{number}"
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        body = f"<p>page {number}</p>".encode()
        writer.write_record(
            writer.create_warc_record(
                url,
                "response",
                BytesIO(body),
                len(body),
                http_headers=head,
                warc_headers_dict={"WARC-Date": DATE},
            )
        )
        asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "theirs.example")], is_http_request=True)
        writer.write_record(
            writer.create_warc_record(
                url, "request", http_headers=asked, warc_headers_dict={"WARC-Date": DATE}
            )
        )
    digest = hashlib.sha1(b"<p>page 0</p>")
    revisit = writer.create_revisit_record(
        "http://theirs.example/0",
        "sha1:" + base64.b32encode(digest.digest()).decode(),
        "http://theirs.example/0",
        DATE,
        http_headers=StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": "2021-01-01T00:00:00Z"},
    )
    writer.write_record(revisit)
    for url in ("http://theirs.example/list.txt", "urn:pageinfo:http://theirs.example/0"):
        writer.write_record(
            writer.create_warc_record(
                url,
                "resource",
                BytesIO(b"a list"),
                6,
                warc_content_type="text/plain",
                warc_headers_dict={"WARC-Date": DATE},
            )
        )
    return out.getvalue()


def assert_clean(*paths: Path) -> Counter[str]:
    """Both readers take every record."""
    arguments = type("Arguments", (), {"inputs": [str(path) for path in paths], "verbose": False})
    assert Checker(arguments()).process_all() == 0
    kinds: Counter[str] = Counter()
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=False):
                assert record.verify_block_digest(consume=False), record.record_id
                kinds[record.headers["WARC-Type"]] += 1
    return kinds


@pytest.mark.parametrize("shape", ["member a record", "plain", "one member"])
def test_every_shape(actor: Person, archive_home: Path, shape: str) -> None:
    data = by_warcio(is_packed=shape == "member a record")
    data = gzip.compress(data) if shape == "one member" else data
    report = imported(actor, data)
    assert (report["taken"], report["known"], report["left_out"], report["broken_because"]) == (5, 0, 0, "")
    found = {capture.url: capture for capture in visible_captures(actor).filter(refers_to=None)}
    assert payload(found["http://theirs.example/1"], 1000) == b"<p>page 1</p>"
    assert payload(found["http://theirs.example/list.txt"], 1000) == b"a list"
    assert found["http://theirs.example/1"].urlkey == "example,theirs)/1"
    assert found["http://theirs.example/1"].is_text_due
    revisit = visible_captures(actor).get(fetched_at__year=2021)
    assert revisit.refers_to == found["http://theirs.example/0"]
    assert payload(revisit, 1000) == b"<p>page 0</p>"
    kinds = assert_clean(*(archive_home / "archive").glob("*.warc.gz"))
    assert kinds == {"warcinfo": 2, "response": 3, "request": 3, "revisit": 1, "resource": 2, "metadata": 1}
    before = whole_index()
    again = imported(actor, data)
    assert (again["taken"], again["known"]) == (0, 5)
    assert whole_index() == before
    assert not list((archive_home / "imports").iterdir())
    assert result_of(VERIFY)["problems"] == []
    Capture.objects.exclude(refers_to=None).delete()
    Capture.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before


def test_broken_files_end_with_an_honest_report(actor: Person) -> None:
    data = by_warcio()
    cut = imported(actor, data[: len(data) // 2])
    assert cut["broken_because"]
    assert 0 < cut["broken_at"] <= len(data) // 2
    assert 0 < cut["taken"] < 5
    rest = imported(actor, data)
    assert (rest["taken"], rest["known"]) == (5 - cut["taken"], cut["taken"])
    for no_warc in (b"root:x:0:0\n", gzip.compress(b"hello")):
        assert "no WARC record begins there" in imported(actor, no_warc)["broken_because"]
    nonsense = imported(actor, b"hello" * 1000)
    assert (nonsense["taken"], nonsense["broken_at"]) == (0, 0)
    for empty in (b"", gzip.compress(b"")):
        assert imported(actor, empty)["broken_because"] == "there is no WARC record in it"
    plain = by_warcio(is_packed=False, pages=2)
    spoilt = imported(
        actor, plain.replace(b"<p>page 1</p>", b"<p>page X</p>").replace(b"2020-02", b"2019-02")
    )
    assert spoilt["left_out"] == 1
    assert "digest" in spoilt["problems"][0]
    assert "http://theirs.example/1" in spoilt["problems"][0]


def test_chunks_and_their_digest(actor: Person, archive_home: Path) -> None:
    """A digest of the body without its chunks: it is true, and replaced by the one that readers of WARC expect."""
    body = b"5\r\nhello\r\n0\r\n\r\n"
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    record = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://c.example/>\r\n"
        b"WARC-Date: 2020-01-01T00:00:00Z\r\n"
        b"WARC-Record-ID: <urn:uuid:1>\r\nWARC-Payload-Digest: sha256:%s\r\nContent-Type: application/http\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n"
    ) % (hashlib.sha256(b"hello").hexdigest().encode(), len(block), block)
    assert imported(actor, record)["taken"] == 1
    capture = Capture.objects.get()
    assert capture.url == "http://c.example/"
    assert payload(capture, 100) == b"hello"
    assert_clean(*(archive_home / "archive").glob("*.warc.gz"))
    assert result_of(VERIFY)["problems"] == []


PAGES = {"/": b'<a href="/b">b</a><img src="/i.png">', "/b": b"<p>b</p>", "/i.png": bytes(range(256))}


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = PAGES.get(self.path, b"")
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "image/png" if self.path.endswith("png") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")
def test_wget(actor: Person, archive_home: Path, tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        subprocess.run(
            ["wget", "-q", "--mirror", "--page-requisites", "--delete-after", "--warc-file", "theirs", url],
            cwd=tmp_path, check=False, timeout=60,
        )  # fmt: skip
        server.shutdown()
    report = imported(actor, (tmp_path / "theirs.warc.gz").read_bytes())
    assert report["left_out"] == 0, report
    found = {capture.url.removeprefix(url): capture for capture in visible_captures(actor)}
    assert {"", "b", "i.png"} <= found.keys()
    assert payload(found["i.png"], 1000) == PAGES["/i.png"]
    assert all(capture.length > capture.response_length for capture in found.values()), (
        "requests stand behind"
    )
    assert_clean(*(archive_home / "archive").glob("*.warc.gz"))
    assert result_of(VERIFY)["problems"] == []


def test_who_may(actor: Person) -> None:
    """Nobody can check a file: it takes somebody who answers for what is in the archive."""
    for role in (Role.READER, Role.SUBSCRIBER):
        with pytest.raises(Forbidden):
            start_import(
                actor=person_with(role, email=f"{role}@example.org"),
                collection="cultural",
                name="",
                body=BytesIO(),
            )
    with pytest.raises(NoSuchCollection):
        start_import(actor=actor, collection="nowhere", name="", body=BytesIO())


def test_export_is_self_contained(actor: Person, tmp_path: Path) -> None:
    """Only the newest version is asked for: what its revisit refers to stands in another, and comes along once."""
    a_site(4)
    keep(
        Page(
            "http://a.example/copy", b"<p>the same</p>", of=Page("http://a.example/still", b"<p>the same</p>")
        ),
        collection="scientific",
        visit=4,
    )
    Capture.objects.filter(visit=1).update(collection=Collection.objects.get(slug="cultural"))
    captures = visible_captures(actor).filter(visit=4)
    out = tmp_path / "out.warc.gz"
    out.write_bytes(b"".join(self_contained(captures, "out.warc.gz", "version 4", actor=actor)))
    assert assert_clean(out) == {"warcinfo": 1, "response": 2, "request": 4, "revisit": 2}
    with out.open("rb") as file:
        held = Counter(
            record.headers["WARC-Target-URI"]
            for record in ArchiveIterator(file, record_types=WarcRecordType.response)
        )
    assert held == {"http://a.example/": 1, "http://a.example/still": 1}
    # And in again, elsewhere: nothing is missing.
    report = imported(actor, out.read_bytes())
    assert report["taken"] + report["known"] == 4


def test_what_is_written_in_two_ways_is_taken_and_written_in_one(actor: Person, archive_home: Path) -> None:
    assert imported(actor, by_an_old_hand())["taken"] == 1
    assert Capture.objects.get().url == "http://theirs.example/old"
    assert result_of(VERIFY)["problems"] == []
    [file] = (archive_home / "archive").glob("*.warc.gz")
    with file.open("rb") as stream:
        [found] = ArchiveIterator(stream, record_types=WarcRecordType.response)
        assert found.headers["WARC-Target-URI"] == "http://theirs.example/old"
        assert found.headers["X-Note"] == "a long one"
        names = [name for name, _value in found.headers]
    assert names.count("WARC-Concurrent-To") == 2
    assert names.count("WARC-Target-URI") == 1


def test_memory_is_bounded_whatever_a_record_unfolds_to(actor: Person) -> None:
    """A page and notes around it that are small in their file: read, kept, and read again for the search."""
    long = 48 * 1024**2
    note = b"x" * (3 * 1024**2)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>the beginning</p>"
    data = b"".join(
        [
            *[_bare("metadata", f"urn:theirs:{number}", note, "text/plain") for number in range(30)],
            _bare("metadata", "urn:ronda:block:1", b"x" * long, "application/vnd.ronda.block+json"),
            _bare("response", "http://theirs.example/long", head + b" " * (long - len(head))),
            _bare("response", "http://theirs.example/short", head),
        ]
    )
    tracemalloc.start()
    try:
        assert imported(actor, data)["taken"] == 2
        with Extractor() as extractor:
            assert read_due_texts(extractor) == 2
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 32 * 1024**2
    assert Text.objects.filter(text="the beginning").count() == 2


def _bare(
    kind: str, url: str, block: bytes, content_type: str = "application/http; msgtype=response"
) -> bytes:
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        f"WARC-Date: {DATE}",
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block)}",
    ]
    return gzip.compress("\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n", 1)


def test_address_that_the_database_cannot_hold_is_left_out(actor: Person) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x</p>"
    told = imported(
        actor,
        _bare("response", "http://theirs.example/\0a", head)
        + _bare("response", "http://theirs.example/b", head),
    )
    assert (told["taken"], told["left_out"]) == (1, 1)
    assert "http://theirs.example/\\x00a: its URL is too long, or not printable" in told["problems"][0]
