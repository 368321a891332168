"""What is closed or forgotten stays so, whatever somebody imports."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from django.db import transaction

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive import block_notes, cdx, moves, services, withdrawals
from ronda.archive.cdx import CdxQuery
from ronda.archive.export import self_contained
from ronda.archive.extracting import Extractor
from ronda.archive.file_jobs import REINDEX, VERIFY
from ronda.archive.models import Capture, Collection
from ronda.archive.queries import visible_captures
from ronda.archive.reading import payload
from ronda.archive.search import SearchWanted, search
from ronda.archive.texts import read_due_texts
from tests.archive.filling import FIRST, SOURCE, Page, keep, whole_index
from tests.archive.test_importing import imported
from tests.archive.test_verifying import result_of
from tests.grid.warc_bodies import member, response
from tests.people import person_with

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = b"<html lang=en><title>Secret</title><main><p>The pangolin sleeps behind the third door.</p></main></html>"
SECRET_URL = "http://closed.example/secret"
SECRET_DIGEST = f"sha256:{hashlib.sha256(SECRET).hexdigest()}"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
MADE_UP = "sha1:CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"


@pytest.fixture
def reader(archive_home: Path) -> Person:
    """May see the public collection, and no other."""
    Collection.objects.get_or_create(slug="cultural", defaults={"name": "Cultural"})
    Collection.objects.create(slug="closed", name="Closed", is_public=False)
    return person_with(Role.READER)


@pytest.fixture
def importer(reader: Person) -> Person:
    return person_with(Role.DIRECTOR, email="director@example.org")


def forged(
    url: str, *, digest: str = "", at: str = f"{FIRST:%Y-%m-%dT%H:%M:%S.%f}Z", of: str = SECRET_URL
) -> bytes:
    fields = {
        "WARC_Date": "2026-05-05T05:05:05Z",
        "WARC_Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "WARC_Refers_To_Target_URI": of,
        "WARC_Refers_To_Date": at,
        "WARC_Payload_Digest": digest,
        "Content_Type": "application/http; msgtype=response",
    }
    return member("revisit", url, "", HEAD, **fields)


def forgeries(of: str = SECRET_URL) -> bytes:
    return b"".join(
        (
            forged("http://steal.example/known-digest", digest=SECRET_DIGEST, of=of),
            forged("http://steal.example/no-digest", of=of),
            forged("http://steal.example/made-up-digest", digest=MADE_UP, of=of),
            forged(of, digest=SECRET_DIGEST, of=of),
        )
    )


def read_texts() -> None:
    with Extractor() as extractor:
        while read_due_texts(extractor):
            pass


def assert_nothing_shown(reader: Person) -> None:
    taken = visible_captures(reader).filter(node=None).select_related("file", "refers_to__file")
    assert taken.count() == 4
    for capture in taken:
        assert payload(capture, 1000) == b"", capture
        assert capture.refers_to is None
    found = search(actor=reader, wanted=SearchWanted(words="pangolin"))
    assert found.pages == []
    by_url = search(actor=reader, wanted=SearchWanted(url="steal.example/*"))
    assert {page.title for page in by_url.pages} == {""}
    whole = b"".join(self_contained(visible_captures(reader), "all.warc.gz", "all", actor=reader))
    assert b"closed" not in whole.split(b"\r\n")[0]
    lines = b"".join(
        cdx.lines(visible_captures(reader), CdxQuery(url="steal.example/*", is_resolving=True))
    ).decode()
    assert lines.count('"orig.filename": "-"') == 3


def test_imported_revisits_do_not_open_a_closed_collection(importer: Person, reader: Person) -> None:
    keep(Page(SECRET_URL, SECRET), collection="closed", visit=1)
    read_texts()
    report = imported(importer, forgeries())
    assert report["taken"] == 4
    assert_nothing_shown(reader)
    assert result_of(VERIFY)["problems"] == []


def test_nor_what_was_forgotten_also_after_the_index_is_made_anew(importer: Person, reader: Person) -> None:
    keep(Page(SECRET_URL, SECRET), collection="cultural", visit=1)
    read_texts()
    withdrawals.forget_captures(visit=1, because="asked to")
    imported(importer, forgeries())
    assert_nothing_shown(reader)
    before = whole_index()
    Capture.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before
    assert_nothing_shown(reader)


def test_within_its_collection_an_imported_revisit_finds_its_payload(
    importer: Person, reader: Person
) -> None:
    """Also of what was forgotten later: the index says the same when it is made anew."""
    keep(Page(SECRET_URL, SECRET), collection="cultural", visit=1)
    imported(importer, forged("http://mirror.example/", digest=SECRET_DIGEST))
    mirror = visible_captures(reader).get(url="http://mirror.example/")
    assert payload(mirror, 1000) == SECRET
    withdrawals.forget_captures(visit=1, because="asked to")
    before = whole_index()
    Capture.objects.exclude(refers_to=None).delete()
    Capture.objects.all().delete()
    result_of(REINDEX)
    assert whole_index() == before


def test_a_source_that_moves_behind_a_door_takes_its_payloads_along(importer: Person, reader: Person) -> None:
    keep(Page(SECRET_URL, SECRET), collection="cultural", visit=1)
    read_texts()
    imported(importer, forgeries())
    assert visible_captures(reader).exclude(refers_to=None).count() == 4
    with services.writer().appending() as appending, transaction.atomic():
        closed = Collection.objects.get(slug="closed")
        moves.move_captures(appending=appending, source=SOURCE, collection=closed)
    assert_nothing_shown(reader)
    result_of(REINDEX)
    assert_nothing_shown(reader)


def server_notes() -> Iterator[tuple[str, str, object]]:
    """As the server writes them: whose records are, where a source stands, what is withdrawn."""
    capture = {"record_id": "<urn:uuid:forged>", "collection": "closed", "source": str(SOURCE), "visit": 1}
    note = {"node": str(uuid.UUID(int=7)), "owner": 3, "captures": [capture]}
    yield block_notes.CONTENT_TYPE, block_notes.TARGET_PREFIX, note
    move = {"source": str(SOURCE), "collection": "cultural", "at": "2026-06-06T06:06:06Z"}
    yield moves.CONTENT_TYPE, moves.TARGET_PREFIX, move
    pieces = [{"file": name, "first": 0, "last": 2**40} for name in _file_names()]
    withdrawal = {"kind": "forgotten", "because": "I say so", "at": "2026-06-06T06:06:06Z", "pieces": pieces}
    yield withdrawals.CONTENT_TYPE, withdrawals.TARGET_PREFIX, withdrawal


def _file_names() -> list[str]:
    return list(Capture.objects.values_list("file__name", flat=True).distinct())


@pytest.mark.parametrize("target", ["", "http://theirs.example/"], ids=["as the server's", "of a page"])
def test_notes_of_the_server_are_not_taken_from_others(importer: Person, target: str) -> None:
    keep(Page(SECRET_URL, SECRET), collection="closed", visit=1)
    page = member(
        "response", "http://theirs.example/", "", response(200, b"theirs"),
        WARC_Record_ID="<urn:uuid:forged>", WARC_Date="2026-05-05T05:05:05Z",
    )  # fmt: skip
    notes = b"".join(
        member(
            "metadata", target or prefix + "1", "", json.dumps(note).encode(),
            Content_Type=kind, WARC_Date="2026-05-05T05:05:05Z", WARC_Payload_Digest="",
        )
        for kind, prefix, note in server_notes()
    )  # fmt: skip
    assert imported(importer, page + notes)["taken"] == 1
    result_of(REINDEX)
    theirs, secret = Capture.objects.order_by("pk").reverse()
    assert theirs.url == "http://theirs.example/"
    assert theirs.collection == Collection.objects.get(slug="cultural")
    assert (theirs.source, theirs.visit, theirs.node) == (None, None, None)
    assert secret.collection == Collection.objects.get(slug="closed")
    assert Capture.objects.exclude(forgotten_at=None).count() == 0


def test_a_node_cannot_write_notes_of_the_server(importer: Person, reader: Person) -> None:
    """A failure it tells of is a metadata record of a URL: its type alone makes no note of it."""
    from ronda.archive.file_contents import Block, contents

    records = b"".join(
        member("metadata", "http://a.example/", "1", json.dumps(note).encode(), Content_Type=kind)
        for kind, _prefix, note in server_notes()
    )
    pieces = list(contents(BytesIO(records), 0, len(records)))
    assert len(pieces) == 3
    assert not any(isinstance(piece, Block | moves.Move | withdrawals.Withdrawal) for piece in pieces)
