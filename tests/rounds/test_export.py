"""What was kept of a source or of one version goes out as a file that needs no other, with the list of its pages."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from fastwarc.warc import ArchiveIterator

from ronda.accounts.models import Person
from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from ronda.archive.models import Collection
from ronda.rounds.models import Source, Version
from tests.archive.test_importing import assert_clean
from tests.people import person_with
from tests.rounds.kept_sites import HOME, Kept, followed, version_of

# A thread of the server's own reads it: what a test did not commit, it would not see.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def reader(own_archive: object) -> Person:
    return person_with(Role.READER)


@pytest.fixture
def source(reader: Person) -> Source:
    return followed()


@pytest.fixture
def versions(source: Source) -> list[Version]:
    style = Kept("p {}", mime="text/css", role="requisite")
    gone = Kept("", status=0, reason="timeout")
    return [
        version_of(source, {HOME: f"<p>state {number}", f"{HOME}s.css": style, f"{HOME}gone": gone})
        for number in range(2)
    ]


def get(person: Person, address: str) -> tuple[int, bytes]:
    client = Client()
    client.force_login(person, backend=BACKEND)
    response: Any = client.get(f"/api/v1{address}")
    return response.status_code, asyncio.run(_all_of(response)) if response.streaming else response.content


async def _all_of(response: Any) -> bytes:
    return b"".join([piece async for piece in response.streaming_content])


def urls_in(path: Path) -> Counter[str]:
    with path.open("rb") as file:
        return Counter(
            record.headers["WARC-Target-URI"] for record in ArchiveIterator(file, parse_http=False)
            if record.headers["WARC-Type"] == "response"
        )  # fmt: skip


def test_warc_files(reader: Person, source: Source, versions: list[Version], tmp_path: Path) -> None:
    for address, copies in ((f"/sources/{source.pk}", 2), (f"/versions/{versions[0].pk}", 1)):
        status, data = get(reader, f"{address}/export.warc.gz")
        assert status == 200
        out = tmp_path / "out.warc.gz"
        out.write_bytes(data)
        assert assert_clean(out)["response"] == 2 * copies
        assert urls_in(out) == {HOME: copies, f"{HOME}s.css": copies}


def test_lists_of_pages(reader: Person, source: Source, versions: list[Version]) -> None:
    for address, copies in ((f"/sources/{source.pk}", 2), (f"/versions/{versions[0].pk}", 1)):
        status, data = get(reader, f"{address}/pages.jsonl")
        head, *pages = [json.loads(line) for line in data.splitlines()]
        assert (status, head["format"]) == (200, "json-pages-1.0")
        assert [page["url"] for page in pages] == [HOME] * copies
        assert all(page["ts"].endswith("Z") and page["title"] for page in pages)


def test_only_for_who_may_see_it(reader: Person, source: Source, versions: list[Version]) -> None:
    Collection.objects.update(is_public=False)
    for address in (f"/sources/{source.pk}", f"/versions/{versions[0].pk}", "/collections/scientific"):
        for name in ("export.warc.gz", "pages.jsonl"):
            assert get(reader, f"{address}/{name}")[0] == 404
