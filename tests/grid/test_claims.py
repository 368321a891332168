"""What nodes say beside the bytes: what cannot be is refused, and what one nobody knows says slows no host."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Capture
from ronda.frontier.models import Host, Lease, RobotsState
from ronda.grid import answers, fetches
from ronda.grid.errors import BadUpload
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import Node
from ronda.grid.services import register_node
from tests.grid.warc_bodies import PAGE, address_of, failure, member, pair, response
from tests.people import person_with

pytestmark = pytest.mark.django_db
URL = "http://a.example/1"
DAY = timedelta(days=1)


@pytest.fixture
def contributor(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def node(contributor: Person) -> Node:
    return register_node(actor=contributor, name="laptop", version="1", system="Linux")


@pytest.fixture
def work(contributor: Person, node: Node) -> Work:
    fetches.create_fetch(actor=contributor, urls=[URL])
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + DAY)
    return lease_block(actor=contributor, node_id=node.pk, slots=4)


def send(node: Node, work: Work, body: bytes) -> int:
    upload = BytesIO(body)
    return answers.take_upload(actor=node.owner, node_id=node.pk, block=work.block, upload=upload).accepted


def number_of(work: Work) -> str:
    return str(work.hosts[0].requests[0].id)


def said(**changes: str) -> Callable[[str], bytes]:
    return lambda number: member("response", URL, number, PAGE, **changes)


def asked_by(agent: str) -> Callable[[str], bytes]:
    head = f"GET /1 HTTP/1.1\r\nHost: a.example\r\n{agent}\r\n\r\n".encode()
    return lambda number: member("response", URL, number, PAGE) + member("request", URL, number, head)


IMPOSSIBLE: dict[str, Callable[[str], bytes]] = {
    **{f"took {text!r}": said(Ronda_Total_Seconds=text) for text in ("-5", "nan", "inf", "1e12", "300", "")},
    "the first byte after the last": said(Ronda_First_Byte_Seconds="2"),
    "in 1999": said(WARC_Date="1999-01-01T00:00:00Z"),
    "in 2099": said(WARC_Date="2099-01-01T00:00:00Z"),
    "a request of 1999": lambda number: (
        member("response", URL, number, PAGE)
        + member("request", URL, number, b"GET / HTTP/1.1\r\n\r\n", WARC_Date="1999-01-01T00:00:00Z")
    ),
    "a failure of 1999": lambda number: member(
        "metadata", URL, number, b"reason: connect\r\n", WARC_Date="1999-01-01T00:00:00Z", WARC_Payload_Digest=""
    ),
    "a longer body": lambda number: member("response", URL, number, PAGE.replace(b": 5", b": 9999")),
    "step 1 first": said(Ronda_Step="1"),
    "a request of another step": lambda number: (
        member("response", URL, number, PAGE)
        + member("request", URL, number, b"GET / HTTP/1.1\r\n\r\n", Ronda_Step="1")
    ),
    "a failure of another step": lambda number: member(
        "metadata", URL, number, b"reason: connect\r\n", Ronda_Step="3", WARC_Payload_Digest=""
    ),
    "a browser": asked_by("User-Agent: Mozilla/5.0"),
    "a browser that names us": asked_by("User-Agent: Mozilla/5.0 (like RondaBot/1 (+https://r.example/bot))"),
    "nobody": asked_by("Accept: */*"),
    "no address": said(WARC_IP_Address="no"),
    "a private address": said(WARC_IP_Address="10.0.0.1"),
    "loopback in disguise": said(WARC_IP_Address="::ffff:127.0.0.1"),
}  # fmt: skip


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_cannot_be_is_refused(node: Node, work: Work, name: str) -> None:
    with pytest.raises(BadUpload):
        send(node, work, IMPOSSIBLE[name](number_of(work)))
    assert not Capture.objects.exists()
    assert Lease.objects.count() == 1
    assert Host.objects.get().latency_seconds is None


def test_private_addresses_where_they_are_allowed(
    node: Node, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "RONDA", replace(settings.RONDA, allow_private_networks=True))
    assert send(node, work, said(WARC_IP_Address="127.0.0.1")(number_of(work))) == 1


@pytest.mark.parametrize("skew", [-DAY, DAY])
def test_a_wrong_clock_is_put_right_in_the_records_too(
    node: Node, work: Work, tmp_path: Path, skew: timedelta
) -> None:
    """The client's WARC says what the API says; what the node said stands beside it."""
    from warcio.archiveiterator import ArchiveIterator

    before, wrong = timezone.now(), datetime.now(UTC) + skew
    date, number = f"{wrong:%Y-%m-%dT%H:%M:%S.%fZ}", number_of(work)
    head = b"GET /1 HTTP/1.1\r\nUser-Agent: RondaBot/1 (+https://r.example/bot)\r\n\r\n"
    body = member("response", URL, number, PAGE, WARC_Date=date) + member(
        "request", URL, number, head, WARC_Date=date, WARC_Payload_Digest=""
    )
    assert send(node, work, body) == 1
    capture = Capture.objects.get()
    assert before - timedelta(seconds=30) < capture.fetched_at <= timezone.now()
    [path] = (tmp_path / "archive").glob("*.warc.gz")
    with path.open("rb") as file:
        file.seek(capture.offset)
        exchange = file.read(capture.length)
    dates = {
        (record.rec_type, record.rec_headers["WARC-Date"], record.rec_headers["Ronda-Node-Date"])
        for record in ArchiveIterator(BytesIO(exchange))
    }
    right = f"{capture.fetched_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    assert dates == {("response", right, date), ("request", right, date)}
    assert gzip.decompress(exchange[: capture.response_length]).endswith(PAGE + b"\r\n\r\n")
    assert _is_clean(path)


def _is_clean(path: Path) -> bool:
    from warcio.checker import Checker

    arguments = type("Arguments", (), {"inputs": [str(path)], "verbose": False})
    return bool(Checker(arguments()).process_all() == 0)


def test_a_failure_of_a_wrong_clock_is_kept(node: Node, work: Work) -> None:
    """Its attempt counts, and it stands in the archive with the right date."""
    number, date = number_of(work), f"{datetime.now(UTC) - DAY:%Y-%m-%dT%H:%M:%SZ}"
    block = b"reason: connect\r\ndetail: refused\r\n"
    assert (
        send(node, work, member("metadata", URL, number, block, WARC_Date=date, WARC_Payload_Digest="")) == 0
    )


@pytest.fixture
def unknown(work: Work) -> None:
    """The lease is that of a node that nobody knows yet."""
    Lease.objects.update(is_trusted=False)


def asking_for_rest(seconds: int) -> bytes:
    return response(429, b"", location=f"/\r\nRetry-After: {seconds}")


@pytest.mark.usefixtures("unknown")
def test_one_answer_of_a_node_nobody_knows_does_not_slow_a_host(node: Node, work: Work) -> None:
    Lease.objects.update(granted_at=timezone.now() - timedelta(minutes=5))
    assert send(node, work, said(Ronda_Total_Seconds="200")(number_of(work))) == 1
    host = Host.objects.get()
    assert host.latency_seconds == 2
    assert host.ready_at < timezone.now() + timedelta(seconds=11)


@pytest.mark.usefixtures("unknown")
def test_a_rest_that_a_node_nobody_knows_tells_of_is_short(node: Node, work: Work) -> None:
    Host.objects.update(latency_seconds=0.1)
    send(node, work, pair(URL, number_of(work), asking_for_rest(86_400)))
    host = Host.objects.get()
    assert host.backoff_until is not None
    assert host.backoff_until < timezone.now() + timedelta(seconds=70)
    assert host.learned_delay_seconds is None
    assert host.avoided_nodes == [node.pk], "others ask next"


def test_what_a_known_node_says_counts(node: Node, work: Work) -> None:
    Lease.objects.update(granted_at=timezone.now() - timedelta(minutes=5))
    send(
        node, work, member("response", URL, number_of(work), asking_for_rest(3600), Ronda_Total_Seconds="200")
    )
    host = Host.objects.get()
    assert host.latency_seconds == 200
    assert host.backoff_until is not None
    assert host.backoff_until > timezone.now() + timedelta(seconds=3000)
    assert host.learned_delay_seconds
    assert host.avoided_nodes == []


def test_failures_need_no_address(node: Node, work: Work) -> None:
    number = number_of(work)
    body = gzip.decompress(failure(URL, number)).replace(
        f"WARC-IP-Address: {address_of(URL)}\r\n".encode(), b""
    )
    assert send(node, work, gzip.compress(body)) == 0
