"""Uploads: what a node sends is believed in nothing; what is refused leaves no trace."""

from __future__ import annotations

import gzip
import hashlib
import tracemalloc
import uuid
import zlib
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import NoReturn

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive import services as archive
from ronda.archive.file_reader import records_in
from ronda.archive.models import Capture, WarcFile
from ronda.archive.repair import close_abandoned_files
from ronda.errors import Forbidden
from ronda.frontier.models import Host, Lease, Request, RobotsState
from ronda.grid import answers, fetches, upload_reader
from ronda.grid.errors import BadUpload, LeaseOver, NoSuchNode
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import Node
from ronda.grid.services import register_node
from ronda.grid.upload_reader import ReadLimits
from tests.grid.warc_bodies import PAGE, failure, member, pair, response, with_lines
from tests.people import person_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def contributor(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def node(contributor: Person) -> Node:
    return register_node(actor=contributor, name="laptop", version="1", system="Linux")


@pytest.fixture
def work(contributor: Person, node: Node) -> Work:
    fetches.create_fetch(
        actor=contributor, urls=["http://a.example/1", "http://a.example/2", "http://b.example/"]
    )
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    return lease_block(actor=contributor, node_id=node.pk, slots=4)


def send(contributor: Person, node: Node, work: Work, body: bytes) -> int:
    taken = answers.take_upload(actor=contributor, node_id=node.pk, block=work.block, upload=BytesIO(body))
    return taken.accepted


def requests_of(work: Work) -> list[tuple[str, str]]:
    return [(request.url, str(request.id)) for host in work.hosts for request in host.requests]


def test_whole_block(contributor: Person, node: Node, work: Work, tmp_path: Path) -> None:
    from fastwarc.warc import ArchiveIterator
    from warcio.checker import Checker

    body = b"".join(pair(url, number) for url, number in requests_of(work))
    assert send(contributor, node, work, body) == 3
    assert not Request.objects.exists()
    assert not Lease.objects.exists()
    [file] = (tmp_path / "archive").glob("*.warc.gz")
    assert WarcFile.objects.get().size_bytes == file.stat().st_size
    arguments = type("Arguments", (), {"inputs": [str(file)], "verbose": False})
    assert Checker(arguments()).process_all() == 0
    for capture in Capture.objects.all():
        with file.open("rb") as stream:
            stream.seek(capture.offset)
            record = next(iter(ArchiveIterator(BytesIO(stream.read(capture.response_length)))))
        assert record.headers["WARC-Target-URI"] == capture.url
        assert record.verify_block_digest()
    [fetch] = fetches.fetches(actor=contributor)
    assert fetch.is_done
    assert {a.state for a in fetches.answers(actor=contributor, fetch_id=fetch.pk)} == {"fetched"}


@pytest.mark.parametrize("status", [200, 404, 429, 503, None])
def test_host_is_free_for_its_node_before_the_answers_are_in_the_index_unless_it_wants_rest(
    contributor: Person, node: Node, work: Work, monkeypatch: pytest.MonkeyPatch, status: int | None
) -> None:
    """Seen by the first who would put them there."""
    Host.objects.update(delay_seconds=0, max_nodes=2, is_delay_per_node=True)
    seen: set[bool] = set()

    def look(*_given: object) -> NoReturn:
        seen.update(Lease.objects.values_list("is_brought", flat=True))
        raise ZeroDivisionError

    monkeypatch.setattr(answers, "_accept", look)
    monkeypatch.setattr(answers, "GOES_ON_FROM", 3)
    (url, number), *others = requests_of(work)
    body = pair(url, number, response(status, b"x")) if status else failure(url, number)
    with pytest.raises(ZeroDivisionError):
        send(contributor, node, work, body + b"".join(pair(*one) for one in others))
    assert seen == {status in (200, 404)}


def test_same_block_again_is_over(contributor: Person, node: Node, work: Work) -> None:
    body = b"".join(pair(url, number) for url, number in requests_of(work))
    send(contributor, node, work, body)
    with pytest.raises(LeaseOver):
        send(contributor, node, work, body)
    assert Capture.objects.count() == 3


def test_part_of_a_block_leaves_the_rest_in_the_queue(contributor: Person, node: Node, work: Work) -> None:
    url, number = requests_of(work)[0]
    assert send(contributor, node, work, pair(url, number)) == 1
    assert Request.objects.count() == 2
    assert not Lease.objects.exists()


def test_empty_answer_gives_everything_back(contributor: Person, node: Node, work: Work) -> None:
    assert send(contributor, node, work, b"") == 0
    assert Request.objects.count() == 3
    assert Host.objects.filter(ready_at__gt=timezone.now(), holders=0).count() == 2, "their delay is due"
    Host.objects.update(ready_at=timezone.now())
    again = lease_block(actor=contributor, node_id=node.pk, slots=4)
    assert len(requests_of(again)) == 3


def test_lines_may_end_as_some_servers_end_them(contributor: Person, node: Node, work: Work) -> None:
    url, number = requests_of(work)[0]
    payload = f"sha256:{hashlib.sha256(b'hello').hexdigest()}"
    bare = PAGE.replace(b"\r\n", b"\n")
    assert (
        send(contributor, node, work, member("response", url, number, bare, WARC_Payload_Digest=payload)) == 1
    )
    capture = Capture.objects.get()
    assert (capture.digest, capture.mime) == (payload, "text/html")


def test_redirects_on_the_host_are_followed_step_by_step(contributor: Person, node: Node, work: Work) -> None:
    url, number = next(one for one in requests_of(work) if "//a.example" in one[0])
    body = (
        pair(url, number, response(301, b"", location="../x/./next?q=ñ"))
        + pair("http://a.example/x/next?q=%C3%B1", number, response(307, b"", location="https://A.example"))
        + pair("https://a.example/", number)
    )
    assert send(contributor, node, work, body) == 1
    assert set(Capture.objects.values_list("url", "status")) == {
        (url, 301), ("http://a.example/x/next?q=%C3%B1", 307), ("https://a.example/", 200),
    }  # fmt: skip
    assert (
        fetches.answers(actor=contributor, fetch_id=fetches.fetches(actor=contributor)[0].pk)[0].status == 200
    )


Spoil = Callable[[str, str], bytes]
BAD: dict[str, Spoil] = {
    "zero byte in a field": lambda url, number: member("response", url, number, PAGE, Ronda_Note="a\0b"),
    "truncated": lambda url, number: pair(url, number)[:-7],
    "no gzip": lambda url, number: b"hello",
    "garbage behind": lambda url, number: pair(url, number) + b"garbage",
    "wrong block digest": lambda url, number: member(
        "response", url, number, PAGE, WARC_Block_Digest="sha256:" + "0" * 64
    ),
    "wrong payload digest": lambda url, number: member(
        "response", url, number, PAGE, WARC_Payload_Digest="sha256:" + "0" * 64
    ),
    "no digest": lambda url, number: member("response", url, number, PAGE, WARC_Block_Digest=""),
    "shorter than it says": lambda url, number: member("response", url, number, PAGE, Content_Length="10000"),
    "longer than it says": lambda url, number: member("response", url, number, PAGE, Content_Length="10"),
    "foreign URL": lambda url, number: pair("http://evil.example/", number),
    "foreign request": lambda url, number: pair(url, "999999999"),
    "redirect to another host": lambda url, number: pair(url, number) + pair("http://evil.example/", number),
    "other version": lambda url, number: gzip.compress(
        gzip.decompress(pair(url, number)).replace(b"1.1\r", b"1.0\r", 1)
    ),
    "warcinfo": lambda url, number: member("warcinfo", url, number, PAGE),
    "no HTTP": lambda url, number: member("response", url, number, b"hello\r\n\r\nworld"),
    "no date": lambda url, number: member("response", url, number, PAGE, WARC_Date="yesterday"),
    "date without a time": lambda url, number: member("response", url, number, PAGE, WARC_Date="20261116"),
    "date before all time": lambda url, number: member(
        "response", url, number, PAGE, WARC_Date="0001-01-01T00:00:00+14:00"
    ),
    "date after all time": lambda url, number: member(
        "response", url, number, PAGE, WARC_Date="9999-12-31T23:59:59-14:00"
    ),
    "request without a date": lambda url, number: (
        member("response", url, number, PAGE)
        + member("request", url, number, b"GET / HTTP/1.1\r\n\r\n", WARC_Date="")
    ),
    "request without a record id": lambda url, number: (
        member("response", url, number, PAGE)
        + member("request", url, number, b"GET / HTTP/1.1\r\n\r\n", WARC_Record_ID="")
    ),
    "nonsense as record id": lambda url, number: member(
        "response", url, number, PAGE, WARC_Record_ID="nonsense"
    ),
    "endless length": lambda url, number: member("response", url, number, PAGE, Content_Length="9" * 5000),
    "line without a colon": lambda url, number: gzip.compress(
        gzip.decompress(member("response", url, number, PAGE)).replace(b"1.1\r\n", b"1.1\r\nhello\r\n", 1)
    ),
    "status 000": lambda url, number: member("response", url, number, PAGE.replace(b"200", b"000")),
    "status 101": lambda url, number: member("response", url, number, PAGE.replace(b"200", b"101")),
    "status 999": lambda url, number: member("response", url, number, PAGE.replace(b"200", b"999")),
    "request only": lambda url, number: member("request", url, number, b"GET / HTTP/1.1\r\n\r\n"),
    "no record id": lambda url, number: member("response", url, number, PAGE, WARC_Record_ID=""),
    "a record twice": lambda url, number: member("response", url, number, PAGE) * 2,
    "our own note": lambda url, number: pair(url, number) + failure("urn:ronda:block:1", number),
    "another page of the host": lambda url, number: (
        pair(url, number) + pair("http://a.example/other", number)
    ),
    "not where it leads": lambda url, number: (
        pair(url, number, response(302, b"", location="/next")) + pair("http://a.example/other", number)
    ),
    "where it leads without being a redirect": lambda url, number: (
        pair(url, number, response(200, b"", location="/next")) + pair("http://a.example/next", number)
    ),
    "where it leads on another host": lambda url, number: (
        pair(url, number, response(302, b"", location="//c.example/")) + pair("http://c.example/", number)
    ),
    "no URL behind a page": lambda url, number: pair(url, number) + pair("", number),
    "a failure with the digest of a payload": lambda url, number: member(
        "metadata", url, number, b"reason: dns\r\n"
    ),
    "the same answer 5,000 times": lambda url, number: b"".join(pair(url, number) for _ in range(5000)),
    "an endless chain": lambda url, number: b"".join(
        pair(url, number, response(302, b"", location=url)) for _ in range(11)
    ),
    "two requests behind a response": lambda url, number: (
        pair(url, number) + member("request", url, number, b"GET / HTTP/1.1\r\n\r\n")
    ),
    "an answer behind a failure": lambda url, number: failure(url, number) + pair(url, number),
    "a reason of its own": lambda url, number: failure(url, number, "no-mood"),
    "long reason": lambda url, number: member(
        "metadata", url, number, b"reason: timeout\r\n" + b"x" * 20_000, WARC_Payload_Digest=""
    ),
    "long request": lambda url, number: (
        member("response", url, number, PAGE)
        + member("request", url, number, b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n")
    ),
    "head of many lines": lambda url, number: pair(
        url, number, PAGE.replace(b"Content-Length", b"X: y\r\n" * 2000 + b"Content-Length")
    ),
    "endless header": lambda url, number: gzip.compress(b"WARC/1.1\r\n" + b"X: y\r\n" * 100_000),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_upload_stores_nothing_and_keeps_the_lease(
    contributor: Person, node: Node, work: Work, tmp_path: Path, name: str
) -> None:
    url, number = next(one for one in requests_of(work) if "//a.example" in one[0])
    with pytest.raises(BadUpload):
        send(contributor, node, work, BAD[name](url, number))
    assert not Capture.objects.exists()
    assert Request.objects.count() == 3
    assert Lease.objects.count() == 2
    assert all(
        row.size_bytes == (tmp_path / "archive" / row.name).stat().st_size for row in WarcFile.objects.all()
    )


# Lines that some readers pass over, and others read as what they look like. Each alone is enough to have one record
# stand for another URL, or for none at all.
TWO_WAYS = {
    "URL behind a space of Unicode": b"\xc2\xa0WARC-Target-URI: http://other.example/\r\n",
    "URL twice": b"WARC-Target-URI: http://other.example/\r\n",
    "URL twice, in small letters": b"warc-target-uri: http://other.example/\r\n",
    "URL before a space": b"WARC-Target-URI : http://other.example/\r\n",
    "URL behind a bare line feed": b"X: a\nWARC-Target-URI: http://other.example/\r\n",
    "URL behind a bare carriage return": b"X: a\rWARC-Target-URI: http://other.example/\r\n",
    "URL behind a line end of Unicode": b"X: a\xe2\x80\xa8WARC-Target-URI: http://other.example/\r\n",
    "date behind a line end of Unicode": b"\xe2\x80\xa8WARC-Date: 1999-01-01T00:00:00Z\r\n",
    "kind behind a control": b"\x0bWARC-Type: metadata\r\n",
    "kind twice": b"WARC-Type: metadata\r\n",
    "length twice": b"Content-Length: 5\r\n",
    "digest twice": b"WARC-Payload-Digest: sha256:" + b"0" * 64 + b"\r\n",
    "end before the end": b"X: a\n\nb\r\n",
    "no UTF-8": b"X: \xff\r\n",
    "no name": b": x\r\n",
}


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize("name", TWO_WAYS)
def test_header_that_can_be_read_in_two_ways(
    contributor: Person, node: Node, work: Work, name: str, place: str
) -> None:
    url, number = requests_of(work)[0]
    line = TWO_WAYS[name]
    lines = {"first": line} if place == "first" else {"last": line.removesuffix(b"\r\n")}
    with pytest.raises(BadUpload, match="cannot be read"):
        send(contributor, node, work, with_lines(member("response", url, number, PAGE), **lines))
    assert not Capture.objects.exists()
    assert Lease.objects.count() == 2


@pytest.mark.parametrize("field", ["Content-Length", "WARC-Target-URI", "X"])
def test_folded_line(contributor: Person, node: Node, work: Work, field: str) -> None:
    url, number = requests_of(work)[0]
    whole = gzip.decompress(with_lines(member("response", url, number, PAGE), first=b"X: y\r\n"))
    start = whole.index(f"{field}: ".encode())
    end = whole.index(b"\r\n", start)
    with pytest.raises(BadUpload, match="cannot be read"):
        send(contributor, node, work, gzip.compress(whole[:end] + b"\r\n 0" + whole[end:]))
    assert not Capture.objects.exists()


def test_what_a_node_says_of_its_own_clock_does_not_stand_twice(
    contributor: Person, node: Node, work: Work, tmp_path: Path
) -> None:
    url, number = requests_of(work)[0]
    late = f"{timezone.now() + timedelta(hours=5):%Y-%m-%dT%H:%M:%SZ}"
    record = member("response", url, number, PAGE, WARC_Date=late, Ronda_Node_Date="yesterday")
    assert send(contributor, node, work, record) == 1
    [file] = (tmp_path / "archive").glob("*.warc.gz")
    with file.open("rb") as stream:
        records = list(records_in(stream, 0, file.stat().st_size))
    assert [one.fields["ronda-node-date"] for one in records if one.url == url] == [late]


WHOLE = gzip.decompress(member("response", "http://a.example/", "1", PAGE))
_POOR = st.sampled_from(
    [
        b"\r\n",
        b"\r\n\r\n",
        b":",
        b"\0",
        b"9" * 5000,
        b"-1",
        b"\xff",
        b"HTTP/1.1 ",
        "²".encode(),
        b"T00:00:00+99:99Z",
    ]
)


@given(
    cuts=st.lists(
        st.tuples(st.integers(0, len(WHOLE)), st.integers(0, 40), _POOR | st.binary(max_size=12)), max_size=4
    ),
    packed_cut=st.none() | st.tuples(st.integers(0, 2**16), st.binary(min_size=1, max_size=4)),
)
def test_whatever_comes_is_read_or_refused(
    cuts: list[tuple[int, int, bytes]], packed_cut: tuple[int, bytes] | None
) -> None:
    record = WHOLE
    for start, length, instead in cuts:
        record = record[:start] + instead + record[start + length :]
    body = gzip.compress(record)
    if packed_cut:
        start = packed_cut[0] % len(body)
        body = body[:start] + packed_cut[1] + body[start + 1 :]
    try:
        records = list(upload_reader.read_records(BytesIO(body), ReadLimits(record_bytes=10**6)))
    except BadUpload:
        return
    assert all((one.fetched_at, one.payload_bytes >= 0, one.id) for one in records)


def test_bombs_are_noticed_while_they_unfold(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = ReadLimits(record_bytes=10**6, total_bytes=3 * 10**6, records=10)
    block = b"HTTP/1.1 200 OK\r\n\r\n" + b"\0" * 900_000
    several = member("response", "http://a.example/", "1", block) * 5
    with pytest.raises(BadUpload, match="more than"):
        list(upload_reader.read_records(BytesIO(several), limits))
    large = b"HTTP/1.1 200 OK\r\n\r\n" + b"\0" * 2_000_000
    with pytest.raises(BadUpload, match="Content-Length"):
        list(upload_reader.read_records(BytesIO(member("response", "http://a.example/", "1", large)), limits))
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(compressor.compress(b"\0" * 10**6) for _ in range(300)) + compressor.flush()
    with pytest.raises(BadUpload):
        list(upload_reader.read_records(BytesIO(bomb), limits))


def peak_bytes_of(read: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(BadUpload):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


URL = "http://a.example/"
FILLING = {
    "failure": lambda: member(
        "metadata", URL, "1", b"reason: timeout\r\n" + b"x" * 20_000_000, WARC_Payload_Digest=""
    ),
    "request": lambda: member("request", URL, "1", b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000_000),
    "revisit": lambda: member("revisit", URL, "1", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000_000),
    "response": lambda: member("response", URL, "1", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 20_000_000),
    "header": lambda: with_lines(member("response", URL, "1", PAGE), last=b"X: " + b"x" * 20_000_000),
}


@pytest.mark.parametrize("name", FILLING)
def test_what_stays_in_memory_is_small_whatever_it_unfolds_to(name: str) -> None:
    body = FILLING[name]()
    assert len(body) < 100_000
    peak = peak_bytes_of(lambda: list(upload_reader.read_records(BytesIO(body), ReadLimits())))
    assert peak < 12 * 1024**2


def test_heads_together_are_limited() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + b"x" * 100_000 + b"\r\n\r\n"
    body = member("response", URL, "1", head) * 50
    limits = ReadLimits(heads_bytes=10**6)
    peak = peak_bytes_of(lambda: list(upload_reader.read_records(BytesIO(body), limits)))
    assert peak < 12 * 1024**2


def test_reading_ends_with_the_first_record_nobody_asked_for(
    contributor: Person, node: Node, work: Work
) -> None:
    url, _number = requests_of(work)[0]
    upload = BytesIO(pair(url, str(uuid.uuid4())) + b"\0" * 5_000_000)
    with pytest.raises(BadUpload, match="not assigned"):
        answers.take_upload(actor=contributor, node_id=node.pk, block=work.block, upload=upload)
    assert upload.tell() < 1_000_000


def test_somebody_elses_block(contributor: Person, node: Node, work: Work) -> None:
    thief = person_with(Role.CONTRIBUTOR, email="thief@example.org")
    other = register_node(actor=thief, name="laptop", version="1", system="")
    body = b"".join(pair(url, number) for url, number in requests_of(work))
    with pytest.raises(LeaseOver):
        answers.take_upload(actor=thief, node_id=other.pk, block=work.block, upload=BytesIO(body))
    with pytest.raises(NoSuchNode):
        answers.take_upload(actor=thief, node_id=node.pk, block=work.block, upload=BytesIO(body))
    with pytest.raises(Forbidden):
        lease_block(actor=person_with(Role.CLIENT, email="c@example.org"), node_id=node.pk, slots=1)
    assert not Capture.objects.exists()


def test_failures_are_tried_again_and_then_told(contributor: Person, node: Node) -> None:
    made = fetches.create_fetch(actor=contributor, urls=["http://a.example/"])
    for attempt in range(3):
        Host.objects.update(
            robots_state=RobotsState.ABSENT,
            robots_expires_at=timezone.now() + timedelta(days=1),
            ready_at=timezone.now() - timedelta(seconds=1),
        )
        Request.objects.update(not_before=timezone.now() - timedelta(seconds=1))
        work = lease_block(actor=contributor, node_id=node.pk, slots=4)
        [(url, number)] = requests_of(work)
        body = failure(url, number)
        assert send(contributor, node, work, body) == (1 if attempt == 2 else 0)
    [answer] = fetches.answers(actor=contributor, fetch_id=made.pk)
    assert (answer.state, answer.reason) == ("failed", "connect")


def test_file_cut_by_a_crash_is_cut_back_to_what_was_acknowledged(
    contributor: Person, node: Node, work: Work, tmp_path: Path
) -> None:
    url, number = requests_of(work)[0]
    send(contributor, node, work, pair(url, number))
    row = WarcFile.objects.get()
    path = tmp_path / "archive" / row.name
    with path.open("ab") as file:
        file.write(pair(url, number)[:50])
    close_abandoned_files(tmp_path / "archive")
    assert path.stat().st_size > row.size_bytes, "its process lives: it is not ours to touch"
    archive.writer().close()  # as the end of the process does
    WarcFile.objects.update(closed_at=None)
    close_abandoned_files(tmp_path / "archive")
    assert path.stat().st_size == row.size_bytes
