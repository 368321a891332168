"""Searching: languages and their stems, filters, who sees what, and highlights that are only text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.extracting import Extractor, Page
from ronda.archive.models import Capture, Collection, Text
from ronda.archive.search import SearchWanted, search
from ronda.archive.text_types import Kind
from ronda.archive.texts import LONGEST_WAIT_SECONDS, is_time_to_read, read_due_texts
from ronda.errors import InvalidInput
from tests.archive.keeping import Keeper, keeping
from tests.people import person_with

pytestmark = pytest.mark.django_db

SPANISH = """<title>Las canciones de la ciudad</title><main><p>El gobierno aprobó ayer las nuevas políticas económicas
para los próximos años, según informó el ministro de la región, y los niños cantaron canciones.</p></main>"""
ENGLISH = """<title>City news</title><main><p>The government of the city has approved the new policies for the next
years, said the minister, while children were running and singing in the streets.</p></main>"""


def at(day: int) -> datetime:
    return datetime(2026, 3, day, 12, tzinfo=UTC)


@pytest.fixture
def keeper() -> Iterator[Keeper]:
    with keeping() as keeper:
        yield keeper


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor() as extractor:
        yield extractor


@pytest.fixture
def reader(db: None) -> Person:
    return person_with(Role.READER)


def urls(person: Person, words: str = "", **more: object) -> list[str]:
    found = search(actor=person, wanted=SearchWanted(words=words, **more))  # type: ignore[arg-type]
    return [page.newest.url for page in found.pages]


def test_texts_wait_for_a_pause_between_captures_but_not_for_ever(keeper: Keeper) -> None:
    now = timezone.now()
    assert not is_time_to_read()
    keeper.keep("http://en.example/", ENGLISH, at=now - timedelta(seconds=40))
    assert is_time_to_read()
    keeper.keep("http://es.example/", SPANISH, at=now)
    assert not is_time_to_read(), "captures come in"
    assert is_time_to_read(LONGEST_WAIT_SECONDS / 2), "what was begun is gone on with"
    keeper.keep("http://en.example/imported", "<p>of tomorrow</p>", at=now + timedelta(days=1))
    assert is_time_to_read(), "a file of others tells nothing of now"
    Capture.objects.filter(url="http://en.example/imported").delete()
    Capture.objects.filter(url="http://en.example/").update(fetched_at=now - timedelta(seconds=70))
    assert is_time_to_read(), "it has waited long enough"


def test_words_are_found_in_their_language(keeper: Keeper, extractor: Extractor, reader: Person) -> None:
    keeper.keep("http://es.example/", SPANISH, at=at(1))
    keeper.keep("http://en.example/", ENGLISH, at=at(2))
    assert read_due_texts(extractor) == 2
    assert read_due_texts(extractor) == 0
    assert dict(Text.objects.values_list("language", "dictionary")) == {"es": "spanish", "en": "english"}
    # Stems: another form of the word; and a Spanish word without its accents.
    assert (
        urls(reader, "canción") == urls(reader, "cancion") == urls(reader, "CANTAR") == ["http://es.example/"]
    )
    assert urls(reader, "run") == urls(reader, "approve policy") == ["http://en.example/"]
    assert urls(reader, '"gobierno aprobó"') == urls(reader, "gobierno -children") == ["http://es.example/"]
    assert set(urls(reader, "minister or ministro")) == {"http://en.example/", "http://es.example/"}
    assert urls(reader, "government -singing") == []
    with pytest.raises(InvalidInput, match="at least one word"):
        urls(reader, "-children")


def test_a_page_comes_once_with_the_dates_it_was_seen(
    keeper: Keeper, extractor: Extractor, reader: Person
) -> None:
    first = keeper.keep("http://a.example/", ENGLISH, at=at(1))
    keeper.keep("http://a.example/", ENGLISH.replace("City", "Town"), at=at(2))
    keeper.keep("http://a.example/", "<title>Nothing of the kind</title><p>at all", at=at(3))
    keeper.revisit(first, at=at(4))
    while read_due_texts(extractor):
        pass
    [page] = search(actor=reader, wanted=SearchWanted(words="minister")).pages
    assert [one.fetched_at.day for one in page.seen] == [4, 2, 1]
    assert page.versions == 3
    assert Text.objects.count() == 3, "a text once, however often it was captured"
    everything = search(actor=reader, wanted=SearchWanted(url="http://a.example/")).pages
    assert [one.versions for one in everything] == [4]


def test_filters(keeper: Keeper, extractor: Extractor, reader: Person) -> None:
    keeper.keep("http://a.example/one", ENGLISH, at=at(1), collection="cultural")
    keeper.keep("http://a.example/two", ENGLISH + "<p>more", at=at(5))
    keeper.keep("http://b.a.example/three", ENGLISH + "<p>even more", at=at(9))
    while read_due_texts(extractor):
        pass
    one, two, three = "http://a.example/one", "http://a.example/two", "http://b.a.example/three"
    for words in ("", "minister"):
        assert sorted(urls(reader, words)) == [one, two, three]
        assert urls(reader, words, collection="cultural") == [one]
        assert sorted(urls(reader, words, since="20260305")) == [two, three]
        assert sorted(urls(reader, words, until="2026-03-05")) == [one, two]
        assert urls(reader, words, since="20260302", until="20260308") == [two]
        assert urls(reader, words, url="a.example/o*") == [one]
        assert sorted(urls(reader, words, url="*.a.example")) == [one, two, three]
        assert urls(reader, words, url="http://b.a.example/three") == [three]
        assert sorted(urls(reader, words, mime="text/", status=200)) == [one, two, three]
        assert urls(reader, words, status=404) == []
        assert urls(reader, words, sources=()) == []


def test_only_who_may_see_a_collection_finds_in_it(
    keeper: Keeper, extractor: Extractor, reader: Person
) -> None:
    kept = keeper.keep("http://a.example/", ENGLISH, at=at(1))
    read_due_texts(extractor)
    Collection.objects.update(is_public=False)
    assert urls(reader, "minister") == urls(reader, url="a.example/*") == []
    assert kept.collection
    kept.collection.people.add(reader)
    assert urls(reader, "minister") == ["http://a.example/"]


def test_highlights_are_only_text(keeper: Keeper, extractor: Extractor, reader: Person) -> None:
    hostile = (
        "&lt;script&gt;alert(1)&lt;/script&gt; \ue000 the minister 5 &lt; 6 &amp; &lt;img of \ue001 nothing "
        * 3
    )
    keeper.keep("http://a.example/", f"<title>&lt;b&gt;x</title><p>{hostile}", at=at(1))
    read_due_texts(extractor)
    [page] = search(actor=reader, wanted=SearchWanted(words="minister")).pages
    assert "<mark>minister</mark>" in page.highlight
    assert "5 &lt; 6 &amp;" in page.highlight
    assert "<script" not in page.highlight
    assert "<img" not in page.highlight
    assert (
        page.highlight.count("<mark>") == page.highlight.count("</mark>") == page.highlight.count("minister")
    )


def test_a_page_that_never_ends_costs_only_itself(keeper: Keeper, reader: Person) -> None:
    keeper.keep("http://deep.example/", b"<div>" * 300_000, at=at(1))
    keeper.keep("http://a.example/", ENGLISH, at=at(1))
    with Extractor(most_seconds=3) as extractor:
        assert read_due_texts(extractor) == 2
    assert urls(reader, "minister") == ["http://a.example/"]


@pytest.mark.parametrize("kind", [Kind.HTML, Kind.PLAIN])
@pytest.mark.parametrize("charset", ["hex", "zlib", "undefined"])
def test_encodings_of_no_text_are_no_reason_to_read_nothing(
    extractor: Extractor, charset: str, kind: Kind
) -> None:
    extracted = extractor(Page(ENGLISH.encode(), charset, kind, 1000))
    assert extracted
    assert "singing in the streets" in extracted.text


@pytest.mark.parametrize(
    "body", [b"", b"\xff\xfe\x00", b"<p>\x00\x01 zero", b"<title>" + b"x" * 5000, b"a" * 3_000_000]
)
def test_odd_pages_are_read(extractor: Extractor, body: bytes) -> None:
    for charset in ("", "utf-8", "latin-1", "no-such-thing", "hex", "zlib", "undefined"):
        extracted = extractor(Page(body, charset, Kind.HTML, 1000))
        assert extracted is not None
        assert "\x00" not in extracted.text
        assert len(extracted.text) <= 1000
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_tsvector('simple', %s)", [json.dumps(vars(extracted))])
