"""Lists of sources: every line told of, and what is written can be read back."""

from __future__ import annotations

from typing import Any

import pytest

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import Forbidden, InvalidInput
from ronda.rounds import csv_lists, services
from ronda.rounds.models import Source
from ronda.rounds.wishes import wish_of
from tests.people import person_with
from tests.rounds.sources import followed

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana() -> Person:
    return person_with(Role.SUBSCRIBER)


def _written() -> str:
    return "".join(csv_lists.as_csv(Source.objects.select_related("collection").order_by("url")))


def _all() -> list[Any]:
    return [(wish_of(s), s.state) for s in Source.objects.select_related("collection").order_by("url")]


def test_what_is_written_is_read_back(ana: Person) -> None:
    followed(ana, title="=HYPERLINK(1)", notes='two\nlines, "quoted"', tags=("a", "b"), topic=306)
    followed(ana, "https://b.example/", title="'tis", scope="page", depth=0, every_seconds=5400)
    paused = followed(ana, "https://c.example/", collection="scientific", is_for_any_node=True)
    services.pause(actor=ana, source_id=paused.pk)
    before, text = _all(), _written()
    assert "'=HYPERLINK" in text, "no spreadsheet takes it for a formula"
    Source.objects.all().delete()
    lines = csv_lists.import_list(actor=ana, text=text)
    assert [line.refusal for line in lines] == [None, None, None]
    assert _all() == before
    again = csv_lists.import_list(actor=ana, text=text)
    assert [type(line.refusal).__name__ for line in again] == ["AlreadyFollowed"] * 3
    assert _all() == before


def test_each_line_is_taken_whole_or_refused_with_its_reason(ana: Person) -> None:
    text = (
        "\ufeffURL;every;state;depth;collection\r\n"
        "https://a.example/;1d;;;\r\n"
        "\r\n"
        "http://10.0.0.1/;;;;\r\n"
        "https://b.example/;yearly;;;\r\n"
        "https://c.example/;;asleep;;\r\n"
        "https://d.example/;;;deep;\r\n"
        "https://e.example/;;paused;2;scientific\r\n"
    )
    lines = csv_lists.import_list(actor=ana, text=text)
    told = [(line.number, getattr(line.refusal, "field", None)) for line in lines]
    assert told == [(2, None), (4, "url"), (5, "every"), (6, "state"), (7, "depth"), (8, None)]
    assert [(s.url, s.every_seconds, s.state, s.depth) for s in Source.objects.order_by("url")] == [
        ("https://a.example/", 86_400, "active", 3),
        ("https://e.example/", None, "paused", 2),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "address\nhttps://a.example/\n", "url,colour\n", "url\n\0", 'url\n"open', "url\n" + "x\n" * 10_001],
)
def test_what_is_no_list_is_refused_as_a_whole(ana: Person, text: str) -> None:
    with pytest.raises(InvalidInput):
        csv_lists.import_list(actor=ana, text=text)
    assert not Source.objects.exists()


def test_readers_import_nothing() -> None:
    with pytest.raises(Forbidden):
        csv_lists.import_list(
            actor=person_with(Role.READER, email="r@example.org"), text="url\nhttps://a.example/"
        )
