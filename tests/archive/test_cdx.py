"""The index for other programs: every answer is the one pywb's own CDX server gives over the same files."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from django.db import connection
from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from ronda.archive import cdx, timemap
from ronda.archive.finding_api import CdxParameters
from ronda.archive.models import Collection
from ronda.archive.queries import captures_in
from ronda.archive.services import archive_folder
from ronda.database.time_limits import at_most
from ronda.errors import InvalidInput
from tests.archive.keeping import keeping
from tests.archive.pywb import PYWB, needs_pywb, pywb_serving
from tests.people import person_with

HOSTS = ("a.example", "www.b.a.example", "c.example:8080", "127.0.0.1:9000")
QUERIES: list[dict[str, object]] = [
    {"url": "http://a.example/"},
    {"url": "http://a.example/", "sort": "reverse"},
    {"url": "http://a.example/", "closest": "20260304000000"},
    {"url": "http://a.example/", "closest": "20260304000000", "limit": 2},
    {"url": "http://a.example/", "from": "20260303", "to": "20260305"},
    {"url": "http://a.example/", "from": "2026", "limit": 3},
    {"url": "http://a.example/", "output": "json", "fl": "timestamp,url,status"},
    {"url": "http://a.example/", "output": "json", "fields": "urlkey,digest"},
    {"url": "http://a.example/", "fl": "url,mime"},
    {"url": "http://a.example/", "output": "text", "fl": "urlkey,timestamp,status,filename,offset,length"},
    {"url": "http://a.example/*"},
    {"url": "http://a.example/", "matchType": "prefix", "sort": "reverse", "limit": 5},
    {"url": "http://a.example/page/", "matchType": "prefix"},
    {"url": "http://a.example/page?", "matchType": "prefix"},
    {"url": "a.example", "matchType": "host"},
    {"url": "*.a.example"},
    {"url": "example", "matchType": "domain"},
    {"url": "http://c.example:8080/", "matchType": "host"},
    {"url": "http://127.0.0.1:9000/*"},
    {"url": "*.a.example", "filter": "=status:200"},
    {"url": "*.a.example", "filter": "!=status:200"},
    {"url": "*.a.example", "filter": "mime:html"},
    {"url": "*.a.example", "filter": "!mime:html"},
    {"url": "*.a.example", "filter": r"~url:.*page/\d$"},
    {"url": "*.a.example", "filter": ["=status:200", "=mime:text/html", "!~timestamp:2026030[12]"]},
    {"url": "*.a.example", "filter": "=mime:warc/revisit"},
    {"url": "http://a.example/", "collapseTime": "8"},
    {"url": "http://a.example/*", "collapseTime": "6", "sort": "reverse", "limit": 4},
    {"url": "http://nowhere.example/"},
]


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


@pytest.fixture
def reader(db: None) -> Person:
    return person_with(Role.READER)


@pytest.fixture
def api(reader: Person) -> Client:
    client = Client()
    client.force_login(reader, backend=BACKEND)
    return client


@pytest.fixture
def archive(db: None) -> list[Path]:
    """A small archive: pages over days, several a day, redirects, failures, images and revisits."""
    before = set(archive_folder().glob("*.warc.gz"))
    with keeping() as keeper:
        for host in HOSTS:
            root = f"http://{host}/"
            kept = keeper.keep(root, f"<p>{host} one", at=at(1))
            keeper.keep(root, f"<p>{host} two", at=at(3))
            keeper.keep(root, "<p>again", at=at(3, 15), status=404)
            keeper.revisit(kept, at=at(5))
            keeper.keep(root, f"<p>{host} six", at=at(6, 1))
            keeper.keep(f"{root}page/1", "<p>one", at=at(2))
            keeper.keep(f"{root}page/2", b"PNG", at=at(2), mime="image/png")
            keeper.keep(f"{root}page?b=2&a=1", "", at=at(4), status=302, location=root)
            keeper.keep(f"{root}Page/Ünïcode", "<p>u", at=at(4))
    return sorted(set(archive_folder().glob("*.warc.gz")) - before)


def answer(person: Person, **query: object) -> str:
    """Without the web around it: there, a thread of its own streams, and does not see this test's transaction."""
    wanted = CdxParameters.model_validate(query)
    return b"".join(cdx.lines(captures_in(person, wanted.collection), wanted.as_query())).decode()


@needs_pywb
@pytest.mark.django_db
def test_answers_are_those_of_pywb(archive: list[Path], reader: Person, tmp_path: Path) -> None:
    index = tmp_path / "index.cdxj"
    subprocess.run([PYWB / "cdxj-indexer", "-s", "-o", index, *archive], check=True, capture_output=True)
    config = {"collections": {"here": {"index": str(index), "archive_paths": f"{archive[0].parent}/"}}}
    with pywb_serving(tmp_path, config) as theirs:
        for query in QUERIES:
            expected = _asked(f"{theirs}/here/cdx?{urlencode(query, doseq=True)}")
            assert _comparable(answer(reader, **_listed(query))) == _comparable(expected), query


def _asked(address: str) -> str:
    """pywb says 404 where nothing is found."""
    try:
        with urlopen(address) as response:
            return str(response.read().decode())
    except HTTPError as error:
        if error.code != 404:
            raise
        return ""


def _listed(query: dict[str, object]) -> dict[str, object]:
    filters = query.get("filter", [])
    return {**query, "filter": [filters] if isinstance(filters, str) else filters}


def _comparable(text: str) -> list[object]:
    """Without what pywb says of where it read it."""
    lines: list[object] = []
    for line in text.splitlines():
        head, brace, rest = line.partition("{")
        if brace:
            told = json.loads(brace + rest)
            lines.append((head, {name: told[name] for name in told if not name.startswith("source")}))
        else:
            lines.append(head)
    return lines


@pytest.mark.django_db
@pytest.mark.usefixtures("archive")
def test_pages_collections_and_mistakes(api: Client, reader: Person) -> None:
    everything = answer(reader, url="*.example").splitlines()
    pages = api.get("/api/v1/cdx?url=*.example&pageSize=4&showNumPages=true").json()["pages"]
    in_pages = [answer(reader, url="*.example", pageSize=4, page=page) for page in range(pages)]
    assert "".join(in_pages).splitlines() == everything
    assert answer(reader, url="*.example", collection="cultural") == ""
    resolved = answer(reader, url="http://a.example/", output="json", resolveRevisits=True)
    original = json.loads(resolved.splitlines()[3])
    assert original["mime"] == "text/html"
    assert original["orig.filename"] == original["filename"]
    assert int(original["orig.offset"]) < int(original["offset"])
    for wrong in (
        {"url": ""}, {"url": "*.example", "filter": "~url:("}, {"url": "*.example", "filter": "nothing:1"},
        {"url": "a.example", "from": "yesterday"}, {"url": "a.example", "limit": 0},
        {"url": "a.example", "to": "20261345"},
        {"url": "*.example", "filter": "~url:" + "(.*)" * 8 + r"\8\7\6\5\4\3\2\1x"},
        {"url": "*.example", "filter": r"~url:(a)\\\1"},
        {"url": "*.example", "filter": "!~url:" + "(a|b)?" * 100},
        {"url": "*.example", "filter": "~url:" + "(" * 40 + "a" + "{1,99})" * 40},
    ):  # fmt: skip
        refused = api.get("/api/v1/cdx", wrong)
        assert refused.status_code == 422, wrong
        assert refused.headers["Content-Type"].startswith("application/problem+json")
    assert api.get("/api/v1/cdx", {"url": "a.example", "collection": "nowhere"}).status_code == 404
    assert answer(reader, url="*.example", page=99) == "", (
        "without a size a page has the most lines there may be"
    )
    assert len(answer(reader, url="*.example", filter=[r"~url:.*\\\d"]).splitlines()) == 0
    Collection.objects.update(is_public=False)
    assert answer(reader, url="*.example") == "", "what one may not see is not there"
    assert Client().get("/api/v1/cdx", {"url": "a.example"}).status_code == 401


@pytest.mark.django_db
def test_what_takes_too_long_is_refused() -> None:
    """And holds for nothing else, also within one transaction."""
    with pytest.raises(InvalidInput, match="longer than 1 second"), at_most(1, field="filter"):
        _slept(30)
    with at_most(1, field="filter"):
        _slept(0)
    _slept(1.1)


def _slept(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


@pytest.mark.django_db
@pytest.mark.usefixtures("archive")
def test_memento(api: Client, reader: Person) -> None:
    seen = captures_in(reader, "")
    found = timemap.mementos(
        seen, url="http://a.example/", timemap="http://r/map/a", timegate="http://r/gate/a"
    )
    links = b"".join(timemap.link_lines(found)).decode().split(",\n")
    assert links[0] == '<http://a.example/>; rel="original"'
    assert 'rel="self"; type="application/link-format"; from="Sun, 01 Mar 2026 12:00:00 GMT"' in links[1]
    assert links[2] == '<http://r/gate/a>; rel="timegate"'
    assert 'rel="first memento"; datetime="Sun, 01 Mar 2026 12:00:00 GMT"' in links[3]
    assert "/scientific/20260301120000/http://a.example/>" in links[3]
    assert 'rel="last memento"' in links[-1]
    assert len(links) == 8
    told = json.loads(b"".join(timemap.json_lines(found)))
    assert told["mementos"]["list"][0]["datetime"] == "2026-03-01T12:00:00Z"
    assert told["mementos"]["last"]["uri"].endswith("/scientific/20260306010000/http://a.example/")

    wish = {"Accept-Datetime": "Tue, 03 Mar 2026 13:00:00 GMT"}
    gate = api.get("/api/v1/timegate/http://a.example/", headers=wish)
    assert gate.status_code == 302
    assert gate.headers["Location"].endswith("/scientific/20260303120000/http://a.example/")
    assert "accept-datetime" in gate.headers["Vary"].lower()
    for relation in ("original", "timemap", "first memento", "memento", "last memento"):
        assert f'rel="{relation}"' in gate.headers["Link"]
    assert "http://testserver/api/v1/timemap/link/http://a.example/" in gate.headers["Link"]
    assert api.get("/api/v1/timegate/http://a.example/page?b=2&a=1").status_code == 302
    newest = api.get("/api/v1/timegate/http://a.example/")
    assert newest.headers["Location"].endswith("/scientific/20260306010000/http://a.example/")
    assert (
        api.get("/api/v1/timegate/http://a.example/", headers={"Accept-Datetime": "soon"}).status_code == 422
    )
    assert api.get("/api/v1/timemap/link/http://nowhere.example/").status_code == 404
