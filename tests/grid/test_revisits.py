"""What is kept for a source: a payload once, whoever brings it again; nothing of what did not change, if so wanted."""

from __future__ import annotations

import json
import uuid
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive import services as archive
from ronda.archive.block_notes import TARGET_PREFIX as NOTES
from ronda.archive.block_notes import BlockNote
from ronda.archive.models import Capture, Collection, WarcFile
from ronda.archive.warc_writer import WarcWriter
from ronda.archive.withdrawals import TARGET_PREFIX as WITHDRAWN
from ronda.archive.withdrawals import Withdrawal, forget_captures, void_captures
from ronda.frontier import purposes
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Known, Wanted
from ronda.frontier.models import Batch, Host, Request, RobotsState
from ronda.frontier.purposes import Belonging, Ended, Outcome
from ronda.grid import answers, listening
from ronda.grid.errors import BadUpload, LeaseOver
from ronda.grid.leasing import Work, lease_block
from ronda.grid.listening import Listener, Terms
from ronda.grid.models import Node
from ronda.grid.services import register_node
from ronda_node.warc_records import IDENTICAL
from tests.grid.warc_bodies import member, pair, response
from tests.people import person_with

with warnings.catch_warnings():
    # FastWARC 1.1 warns of its own old classes when imported.
    warnings.simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator as FastWarc

pytestmark = pytest.mark.django_db

PURPOSE = "kept in a test"
A, B, C = "http://a.example/", "http://a.example/b", "http://b.example/c"
TEXT, OTHER_TEXT = b"<p>The same, word by word.</p>" * 20, b"<p>Something else.</p>" * 20
UNCHANGED = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'


@dataclass
class Keeper:
    """A source of a collection and its node; `is_trusted` is what a room above the grid says of all nodes."""

    folder: Path
    person: Person
    node: Node
    collection: Collection
    source: uuid.UUID = field(default_factory=uuid.uuid4)
    visit: int = 0
    is_trusted: bool = True
    heard: dict[str, Outcome] = field(default_factory=dict)

    def hear(self, _batch: Batch, ended: Sequence[Ended]) -> None:
        self.heard |= {one.request.url: one.outcome for one in ended}

    def lease(self, *wanted: Wanted) -> Work:
        """A new visit asks for these."""
        self.visit += 1
        batch = frontier.open_batch(purpose=PURPOSE, owner=str(self.visit))
        frontier.put_requests(batch=batch, wanted=wanted)
        return self.ask()

    def ask(self) -> Work:
        past, later = timezone.now() - timedelta(seconds=1), timezone.now() + timedelta(days=1)
        Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=later, ready_at=past)
        Request.objects.update(not_before=past)
        return lease_block(actor=self.person, node_id=self.node.pk, slots=4)

    def bring(self, work: Work, *records: bytes) -> int:
        body = BytesIO(b"".join(records))
        return answers.take_upload(
            actor=self.person, node_id=self.node.pk, block=work.block, upload=body
        ).accepted

    def first(self, body: bytes = TEXT, url: str = A) -> Capture:
        """The URL as it was first captured."""
        work = self.lease(wanted(url))
        self.bring(work, pair(url, ids_of(work)[url], response(200, body)))
        return Capture.objects.latest("pk")

    def records(self) -> list[tuple[str, dict[str, str], bytes]]:
        """Everything in the archive, read by warcio, after two others have found it sound."""
        files = sorted(self.folder.glob("*.warc.gz"))
        arguments = type("Arguments", (), {"inputs": [str(file) for file in files], "verbose": False})
        assert Checker(arguments()).process_all() == 0
        read = []
        for file in files:
            read_before = len(read)
            with file.open("rb") as stream:
                for record in ArchiveIterator(stream, no_record_parse=True):
                    fields = {name.lower(): value for name, value in record.rec_headers.headers}
                    read.append((record.rec_type, fields, record.content_stream().read()))
            with file.open("rb") as stream:
                fast = [record.record_id for record in FastWarc(stream, verify_digests=True)]
            assert fast == [fields["warc-record-id"] for _, fields, _ in read[read_before:]]
            assert WarcFile.objects.get(name=file.name).size_bytes == file.stat().st_size
        return read

    def revisits(self) -> list[tuple[dict[str, str], bytes]]:
        return [(fields, block) for kind, fields, block in self.records() if kind == "revisit"]


class Says(Listener):
    def __init__(self, keeper: Keeper) -> None:
        self.keeper = keeper

    def terms(self, node: Node) -> Terms:
        return Terms(is_trusted=self.keeper.is_trusted)


def wanted(url: str, **more: Any) -> Wanted:
    return Wanted(url, url.split("/")[2], "http", **more)


def known(capture: Capture, etag: str = '"1"') -> Known:
    return Known(capture.pk, capture.digest, etag)


def ids_of(work: Work) -> dict[str, str]:
    return {request.url: str(request.id) for host in work.hosts for request in host.requests}


def shortcut(url: str, number: str, digest: str, **changes: str) -> bytes:
    """What a trusted node writes of a page whose digest it was told."""
    head = response(200, b"")
    fields = {"WARC_Profile": IDENTICAL, "WARC_Payload_Digest": digest} | changes
    return member("revisit", url, number, head, **fields)


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    writer = WarcWriter(tmp_path / "archive")
    monkeypatch.setattr(archive, "writer", lambda: writer)
    person = person_with(Role.CONTRIBUTOR)
    node = register_node(actor=person, name="laptop", version="1", system="Linux")
    keeper = Keeper(tmp_path / "archive", person, node, Collection.objects.get(slug="cultural"))

    def belonging(batch: Batch) -> Belonging:
        return Belonging(keeper.collection.pk, keeper.source, int(batch.owner))

    monkeypatch.setitem(purposes._listeners, PURPOSE, keeper.hear)
    monkeypatch.setitem(purposes._belongings, PURPOSE, belonging)
    monkeypatch.setattr(listening, "_listeners", [Says(keeper)])
    yield keeper
    writer.close()


def test_payload_is_kept_once_in_an_upload_and_across_visits(keeper: Keeper) -> None:
    work = keeper.lease(wanted(A), wanted(B), wanted(C))
    ids = ids_of(work)
    bodies = {A: TEXT, B: TEXT, C: OTHER_TEXT}
    keeper.bring(work, *(pair(url, ids[url], response(200, body)) for url, body in bodies.items()))
    holder, double, other = (Capture.objects.get(url=url) for url in (A, B, C))
    assert (holder.refers_to, double.refers_to, other.refers_to) == (None, holder, None)
    assert [c.is_text_due for c in (holder, double, other)] == [True, False, True]
    assert (double.urlkey, double.source, double.visit) == ("example,a)/b", keeper.source, 1)
    assert double.collection == keeper.collection

    work = keeper.lease(wanted(B))
    keeper.bring(work, pair(B, ids_of(work)[B], response(404, TEXT)))
    again = Capture.objects.latest("pk")
    assert again.refers_to == holder, "not the revisit before it"
    assert (again.status, again.digest, keeper.heard[B].capture_id) == (404, holder.digest, again.pk)

    [(fields, block), (_, later)] = keeper.revisits()
    assert fields["warc-refers-to-target-uri"] == A
    assert fields["warc-refers-to-date"] == f"{holder.fetched_at:%Y-%m-%dT%H:%M:%S.%fZ}"
    assert (fields["warc-profile"], fields["warc-payload-digest"]) == (IDENTICAL, holder.digest)
    assert block == response(200, TEXT).removesuffix(TEXT)
    assert later.startswith(b"HTTP/1.1 404 X\r\n")


def test_revisit_has_no_request_of_its_own(keeper: Keeper) -> None:
    holder = keeper.first()
    work = keeper.lease(wanted(A, known=known(holder)))
    keeper.bring(work, pair(A, ids_of(work)[A], response(200, TEXT)))
    capture = Capture.objects.latest("pk")
    data = (keeper.folder / capture.file.name).read_bytes()[capture.offset :][: capture.length]
    assert capture.length == capture.response_length
    [revisit] = ArchiveIterator(BytesIO(data))
    assert revisit.rec_type == "revisit"
    assert revisit.rec_headers["WARC-Refers-To-Target-URI"] == A
    assert keeper.heard[A] == Outcome(
        purposes.OutcomeState.FETCHED, 200, capture_id=capture.pk, node=keeper.node.pk, is_unchanged=True
    )


def test_not_modified_is_a_revisit_that_shows_the_page(keeper: Keeper) -> None:
    holder = keeper.first()
    work = keeper.lease(wanted(A, known=known(holder)))
    assert work.hosts[0].requests[0].known == known(holder)
    keeper.bring(work, pair(A, ids_of(work)[A], UNCHANGED))
    capture = Capture.objects.latest("pk")
    assert (capture.refers_to, capture.digest) == (holder, holder.digest)
    assert (capture.status, capture.mime) == (200, "text/html"), "as it is seen, not as it was said"
    assert (keeper.heard[A].is_unchanged, keeper.heard[A].status) == (True, 200)
    [(fields, block)] = keeper.revisits()
    assert fields["warc-profile"].endswith("/server-not-modified")
    assert block == b"", "pywb would replay the 304 itself"


@pytest.mark.parametrize("how", ["304", "shortcut", "whole"])
def test_unchanged_leaves_no_trace_if_so_wanted(keeper: Keeper, how: str) -> None:
    holder = keeper.first()
    size_bytes = WarcFile.objects.get().size_bytes
    work = keeper.lease(wanted(A, known=known(holder), is_kept_unchanged=False))
    number = ids_of(work)[A]
    brought = {
        "304": pair(A, number, UNCHANGED),
        "shortcut": shortcut(A, number, holder.digest),
        "whole": pair(A, number, response(200, TEXT)),
    }
    assert keeper.bring(work, brought[how]) == 1
    assert (keeper.heard[A].is_unchanged, keeper.heard[A].capture_id) == (True, holder.pk)
    assert Capture.objects.get() == holder
    assert WarcFile.objects.get().size_bytes == size_bytes
    assert not Request.objects.exists()


def test_what_changed_is_kept_whole(keeper: Keeper) -> None:
    holder = keeper.first()
    work = keeper.lease(wanted(A, known=known(holder), is_kept_unchanged=False))
    keeper.bring(work, pair(A, ids_of(work)[A], response(200, OTHER_TEXT)))
    capture = Capture.objects.latest("pk")
    assert capture.refers_to is None
    assert (keeper.heard[A].is_unchanged, keeper.heard[A].capture_id) == (False, capture.pk)
    # Back to what it was: a change all the same, and nothing new to keep.
    work = keeper.lease(wanted(A, known=known(capture), is_kept_unchanged=False))
    keeper.bring(work, pair(A, ids_of(work)[A], response(200, TEXT)))
    assert Capture.objects.latest("pk").refers_to == holder
    assert not keeper.heard[A].is_unchanged


def test_others_are_told_nothing_and_are_not_believed(keeper: Keeper) -> None:
    holder = keeper.first()
    keeper.is_trusted = False
    work = keeper.lease(wanted(A, known=known(holder)), wanted(B, is_for_trusted=True))
    [request] = [request for host in work.hosts for request in host.requests]
    assert (request.url, request.known) == (A, None), "what is for trusted nodes is not theirs"
    before = WarcFile.objects.get().size_bytes
    with pytest.raises(BadUpload, match="not told"):
        keeper.bring(work, shortcut(A, str(request.id), holder.digest))
    assert (Capture.objects.count(), WarcFile.objects.get().size_bytes) == (1, before)
    # A 304 nobody asked for is a strange server's answer, and stays one.
    keeper.bring(work, pair(A, str(request.id), UNCHANGED))
    capture = Capture.objects.latest("pk")
    assert (capture.status, capture.refers_to, keeper.heard[A].is_unchanged) == (304, None, False)
    # But the same payload is the same payload, whoever brings it.
    work = keeper.lease(wanted(A, known=known(holder)))
    keeper.bring(work, pair(A, ids_of(work)[A], response(200, TEXT)))
    assert Capture.objects.latest("pk").refers_to == holder
    assert keeper.heard[A].is_unchanged


@pytest.mark.parametrize(
    "changes",
    [
        {"WARC_Payload_Digest": f"sha256:{'0' * 64}"},
        {"WARC_Payload_Digest": ""},
        {"WARC_Profile": ""},
        {"WARC_Truncated": "length"},
        {"WARC_Record_ID": "<urn:uuid:none>"},
    ],
)
def test_shortcut_must_be_to_what_was_told(keeper: Keeper, changes: dict[str, str]) -> None:
    holder = keeper.first()
    work = keeper.lease(wanted(A, known=known(holder)))
    number = ids_of(work)[A]
    with pytest.raises(BadUpload):
        keeper.bring(work, shortcut(A, number, holder.digest, **changes))
    with pytest.raises(BadUpload):
        keeper.bring(work, member("revisit", A, number, response(200, TEXT), WARC_Profile=IDENTICAL))
    assert keeper.bring(work, shortcut(A, number, holder.digest)) == 1
    assert Capture.objects.latest("pk").refers_to == holder


def test_upload_sent_again_is_harmless(keeper: Keeper) -> None:
    holder = keeper.first()
    work = keeper.lease(wanted(A, known=known(holder)))
    body = pair(A, ids_of(work)[A], response(200, TEXT))
    keeper.bring(work, body)
    with pytest.raises(LeaseOver):
        keeper.bring(work, body)
    assert len(keeper.revisits()) == 1
    assert Capture.objects.count() == 2


def test_what_is_cut_off_or_empty_or_of_others_is_not_referred_to(keeper: Keeper) -> None:
    work = keeper.lease(wanted(A), wanted(B), wanted(C))
    ids = ids_of(work)
    keeper.bring(
        work,
        member("response", A, ids[A], response(200, TEXT), WARC_Truncated="length"),
        pair(B, ids[B], response(200, b"")),
        pair(C, ids[C], response(200, b"")),
    )
    keeper.source = uuid.uuid4()
    keeper.first(OTHER_TEXT)
    keeper.source = uuid.uuid4()
    keeper.first(OTHER_TEXT)
    keeper.first(TEXT, B)
    assert not Capture.objects.exclude(refers_to=None).exists()
    assert Capture.objects.count() == 6


def test_files_say_whose_the_captures_are(keeper: Keeper) -> None:
    holder = keeper.first()
    records = keeper.records()
    [note] = [
        BlockNote.model_validate_json(block)
        for _, fields, block in records
        if fields.get("warc-target-uri", "").startswith(NOTES)
    ]
    [number] = [fields["warc-record-id"] for kind, fields, _ in records if kind == "response"]
    [capture] = note.captures
    assert (note.node, note.owner) == (keeper.node.pk, keeper.person.pk)
    assert (capture.record_id, capture.collection) == (number, "cultural")
    assert (capture.source, capture.visit) == (keeper.source, 1)
    assert capture.fetched_at in (None, holder.fetched_at)


def test_what_refers_to_a_wrong_capture_is_wrong(keeper: Keeper) -> None:
    liar = keeper.node
    holder = keeper.first()
    keeper.node = register_node(actor=keeper.person, name="honest", version="1", system="")
    work = keeper.lease(wanted(A, known=known(holder)), wanted(C, known=known(holder)))
    keeper.bring(work, pair(A, ids_of(work)[A], UNCHANGED))
    kept = keeper.first(OTHER_TEXT, B)
    assert void_captures(node=liar.pk, after=0, because="It lied.") == 2
    assert list(Capture.objects.filter(voided_at=None)) == [kept]
    [said] = _withdrawals(keeper)
    assert (said.kind, said.because, said.node) == ("voided", "It lied.", liar.pk)
    [piece] = said.pieces
    assert (piece.file, piece.first, piece.last) == (holder.file.name, holder.offset, holder.offset)
    assert void_captures(node=liar.pk, after=0, because="It lied.") == 0
    # What was asked to be compared with it is asked again, for everything.
    work = keeper.ask()
    keeper.bring(work, pair(C, ids_of(work)[C], UNCHANGED))
    assert C not in keeper.heard
    work = keeper.ask()
    assert work.hosts[0].requests[0].known is None
    keeper.bring(work, pair(C, ids_of(work)[C], response(200, TEXT)))
    assert Capture.objects.get(pk=keeper.heard[C].capture_id).refers_to is None


def test_what_is_forgotten_is_still_there_for_those_that_refer_to_it(keeper: Keeper) -> None:
    holder = keeper.first()
    again = keeper.first()
    assert forget_captures(visit=1, because="Asked for.") == 1
    holder.refresh_from_db()
    again.refresh_from_db()
    assert holder.forgotten_at
    assert (again.refers_to, again.forgotten_at, again.voided_at) == (holder, None, None)
    [said] = _withdrawals(keeper)
    assert (said.kind, said.because, said.visit, said.at) == (
        "forgotten", "Asked for.", 1, holder.forgotten_at,
    )  # fmt: skip
    # What comes now is kept anew: nobody builds on what was forgotten.
    assert keeper.first().refers_to is None


def _withdrawals(keeper: Keeper) -> list[Withdrawal]:
    return [
        Withdrawal.model_validate(json.loads(block))
        for _, fields, block in keeper.records()
        if fields.get("warc-target-uri", "").startswith(WITHDRAWN)
    ]
