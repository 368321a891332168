"""Records that unfold to far more than anybody reads: every reader takes the beginning, and memory for no more."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from io import BytesIO

import pytest

from ronda.archive.extracting import Extractor
from ronda.archive.models import Capture, Text
from ronda.archive.reading import payload_at
from ronda.archive.texts import read_due_texts
from ronda.change.documents import MOST_BYTES
from ronda.grid import comparisons
from ronda.grid.models import FetchAnswer
from ronda.rounds.leads import found_on
from ronda.rounds.models import PageRole, Scope, Source, VisitPage
from ronda.rounds.page_states import page_of
from tests.archive.keeping import Keeper, keeping
from tests.grid.warc_bodies import member, response

pytestmark = pytest.mark.django_db

URL = "http://site.example/"
START = b'<!doctype html><title>Long</title><a href="/next">next</a><p>The beginning of it all.</p>'
LONG_BYTES = 160 * 1024**2
# Texts are read as far as 4 MiB and links as far as 8, and each is held a few times over on its way.
MOST_MEMORY_BYTES = 64 * 1024**2


@pytest.fixture
def long(archive_home: object) -> Iterator[Capture]:
    with keeping() as keeper:
        yield _keep(keeper)


def _keep(keeper: Keeper) -> Capture:
    body = START + b" " * (LONG_BYTES - len(START))
    return keeper.keep(URL, body, at=datetime(2026, 3, 1, 12, tzinfo=UTC))


def _peak_bytes(read: Callable[[], None]) -> int:
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _compared(capture: Capture) -> None:
    assert page_of(capture).payload == START + b" " * (MOST_BYTES + 1 - len(START))


def _followed(capture: Capture) -> None:
    page = VisitPage(url=URL, role=PageRole.PAGE, depth=0, capture=capture)
    assert [found.url.text for found in found_on(page, Source(scope=Scope.HOST))] == [f"{URL}next"]


def _searched(_capture: Capture) -> None:
    with Extractor() as extractor:
        assert read_due_texts(extractor) == 1
    assert "The beginning of it all." in Text.objects.get().text


def _held_beside_another(capture: Capture) -> None:
    load = comparisons._seen(FetchAnswer(capture=capture)).load
    assert load is not None
    assert load().startswith(START)


@pytest.mark.parametrize("read", [_compared, _followed, _searched, _held_beside_another])
def test_a_capture(long: Capture, read: Callable[[Capture], None]) -> None:
    assert _peak_bytes(lambda: read(long)) < MOST_MEMORY_BYTES


def test_what_a_node_brings() -> None:
    record = member("response", URL, "1", response(200, START + bytes(LONG_BYTES)))
    upload = BytesIO(b"before" + record)

    def read() -> None:
        found = payload_at(upload, offset=6, length=len(record), most_bytes=100_000)
        assert found == START + bytes(100_000 - len(START))

    assert _peak_bytes(read) < MOST_MEMORY_BYTES


def test_a_damaged_record_is_a_trouble_of_the_disk() -> None:
    record = bytearray(member("response", URL, "1", response(200, START)))
    record[20] ^= 0xFF
    with pytest.raises(OSError, match="the record at byte 0 is damaged"):
        payload_at(BytesIO(record), offset=0, length=len(record), most_bytes=1000)
