"""The search page, past searches, favourites and the frame of the replay."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive import replaying
from ronda.archive.extracting import Extractor
from ronda.archive.models import Capture, Collection
from ronda.archive.texts import read_due_texts
from ronda.rounds.models import Source
from tests.archive.keeping import keeping
from tests.console.markup import Page

HTML = "<title>Noticias &lt;b&gt;</title><p>El ministro aprobó ayer las nuevas políticas económicas de la región."


@pytest.fixture
def captures(db: None) -> list[Capture]:
    source = Source.objects.create(
        url="http://a.example/", topic_id=306, collection=Collection.objects.get(slug="scientific")
    )
    with keeping() as keeper, Extractor() as extractor:
        kept = [
            keeper.keep(
                "http://a.example/", f"{HTML} {day}", at=datetime(2026, 3, day, tzinfo=UTC), source=source.pk
            )
            for day in (1, 2, 3)
        ]
        read_due_texts(extractor)
    return kept


@pytest.fixture
def reader(make_person: Callable[..., Person], browser_of: Callable[..., Client]) -> Client:
    return browser_of(make_person("reader@example.org", Role.READER))


def clean(response: object) -> str:
    text = str(response.text)  # type: ignore[attr-defined]
    page = Page(text.replace(f"http://127.0.0.1:{settings.RONDA.port_of_replay}", ""))
    assert page.complaints == []
    return text


def test_searching_and_what_is_remembered(captures: list[Capture], reader: Client) -> None:
    shown = clean(
        reader.get("/search", {"q": "política", "topic": "306", "from": "2026-03-01", "to": "2026-03-31"})
    )
    assert "<mark>políticas</mark>" in shown
    assert "Noticias &lt;b&gt;" in shown
    assert f"/replay/{captures[2].pk}" in shown
    assert "3 captures" in shown
    assert "Nothing was found" in clean(reader.get("/search", {"q": "política", "topic": "300"}))
    assert "1 page" in clean(reader.get("/search", {"url": "*.a.example"}))
    for wrong in ({"q": "-nada"}, {"q": "x", "from": "soon"}, {"url": "*"}):
        refused = reader.get("/search", wrong)
        assert refused.status_code == 422, wrong
        clean(refused)
    past = clean(reader.get("/search/past"))
    assert "política" in past
    assert "*.a.example" in clean(reader.get("/search"))
    reader.post("/search/past")
    assert "política" not in clean(reader.get("/search/past"))


def test_stars(captures: list[Capture], reader: Client, browser_of: Callable[..., Client]) -> None:
    source = Source.objects.get()
    for kind, key in (("capture", captures[0].pk), ("source", source.pk)):
        starred = reader.post(f"/favourites/{kind}/{key}/star", {"back": "//elsewhere.example/"})
        assert starred.headers["Location"] == "/favourites"
    shown = clean(reader.get("/favourites"))
    assert shown.count("★") == 2
    assert reader.post("/favourites/capture/999999999/star").status_code == 404
    assert reader.post("/favourites/version/nonsense/star").status_code == 404
    back = reader.post(f"/favourites/capture/{captures[0].pk}/unstar", {"back": "/search?q=a"})
    assert back.headers["Location"] == "/search?q=a"
    assert clean(reader.get("/favourites")).count("★") == 1
    Collection.objects.update(is_public=False)
    assert "★" not in clean(reader.get("/favourites")), "what one may no longer see is not shown"


def test_the_frame_of_the_replay(captures: list[Capture], reader: Client) -> None:
    response = reader.get(f"/replay/{captures[1].pk}")
    shown = clean(response)
    origin = f"http://127.0.0.1:{settings.RONDA.port_of_replay}"
    assert f'src="{origin}/_ronda/enter?ticket=' in shown
    assert f'rel="prev" href="/replay/{captures[0].pk}"' in shown
    assert f'rel="next" href="/replay/{captures[2].pk}"' in shown
    ask = clean(reader.get("/replay/open", {"to": "/scientific/2026/http://a.example/"}))
    assert "/scientific/2026/http://a.example/" in ask
    alone = reader.post("/replay/open", {"to": "/scientific/2026/http://a.example/"})
    assert f'src="{origin}/_ronda/enter?ticket=' in clean(alone)
    assert f'src="{origin}/_ronda/enter?ticket=' in clean(reader.get(f"/replay/{captures[1].pk}/alone"))
    for page in (response, alone):
        assert "frame-src http://127.0.0.1:*" in page.headers["Content-Security-Policy"]
        assert "allow-popups" not in page.content.decode()
    for path in ("", "//evil.example/", "/nowhere/2026/http://a.example/"):
        assert reader.post("/replay/open", {"to": path}).status_code == 404, path
    Collection.objects.update(is_public=False)
    assert reader.get(f"/replay/{captures[1].pk}").status_code == 404
    assert reader.post("/replay/open", {"to": "/scientific/2026/http://a.example/"}).status_code == 404


def test_logging_out_closes_the_replay(
    captures: list[Capture], reader: Client, browser_of: Callable[..., Client], administrator: Person
) -> None:
    path = "/scientific/2026/http://a.example/"

    def ticket_of(browser: Client) -> str:
        shown = browser.post("/replay/open", {"to": path}).content.decode()
        found = re.search(r"enter\?ticket=([^&]+)&amp;", shown)
        assert found
        return unquote(found[1])

    def opened(ticket: str) -> str:
        found = replaying.pass_for(actor=administrator, ticket=ticket)
        assert found
        return found.kept

    def is_open(kept: str) -> bool:
        return replaying.collection_open_to(actor=administrator, kept=kept) == "scientific"

    elsewhere = browser_of(Person.objects.get(email="reader@example.org"))
    here, there, unused = opened(ticket_of(reader)), opened(ticket_of(elsewhere)), ticket_of(reader)
    assert is_open(here)
    assert is_open(there)
    spent = ticket_of(reader)
    opened(spent)
    assert replaying.pass_for(actor=administrator, ticket=spent) is None, "a ticket is good once"
    reader.post("/logout")
    assert not is_open(here)
    assert is_open(there), "another browser of the same person is still logged in"
    assert replaying.pass_for(actor=administrator, ticket=unused) is None
