"""What is new since one last looked: per person and source, whatever was forgotten meanwhile."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from ronda.accounts.services import create_token
from ronda.rounds.diffs import source_diff
from ronda.rounds.looks import look_at, news_of, note_look
from ronda.rounds.messages import message_of
from ronda.rounds.models import Source, Version
from tests.people import person_with
from tests.rounds.kept_sites import HOME, followed, version_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(db: None) -> Source:
    return followed()


@pytest.fixture
def versions(source: Source) -> list[Version]:
    return [version_of(source, {HOME: f"<p>state {number}"}) for number in range(4)]


@pytest.fixture
def reader(db: None) -> Person:
    return person_with(Role.READER)


@pytest.fixture
def browser(reader: Person) -> Client:
    client = Client()
    client.force_login(reader, backend=BACKEND)
    return client


def seen(person: Person, source: Source) -> tuple[int | None, int]:
    news = news_of(actor=person, source=source)
    return news.seen.number if news.seen else None, news.count


def test_news_are_each_persons_own(reader: Person, source: Source, versions: list[Version]) -> None:
    other = person_with(Role.READER, email="other@example.org")
    assert seen(reader, source) == (None, 0), "who never looked is not told what is new"
    note_look(actor=reader, version=versions[1])
    note_look(actor=other, version=versions[3])
    assert seen(reader, source) == (2, 2)
    assert seen(other, source) == (4, 0)
    note_look(actor=reader, version=versions[0])
    assert seen(reader, source) == (2, 2), "looking at an old one again makes nothing unknown"
    assert look_at(actor=reader, source_id=source.pk).count == 0


def test_what_was_forgotten_is_not_compared_with(
    reader: Person, source: Source, versions: list[Version]
) -> None:
    note_look(actor=reader, version=versions[1])
    Version.objects.filter(pk=versions[1].pk).update(forgotten_at=timezone.now())
    assert seen(reader, source) == (1, 2)
    diff = source_diff(actor=reader, source_id=source.pk, a="seen")
    assert diff
    assert (diff.before, diff.after) == (versions[0], versions[3])
    Version.objects.filter(number__lt=3).update(forgotten_at=timezone.now())
    assert seen(reader, source) == (None, 2)


def test_the_pages_lead_there_and_note_it(
    reader: Person, browser: Client, source: Source, versions: list[Version]
) -> None:
    page, news = reverse("source", args=[source.pk]), reverse("source-news", args=[source.pk])
    assert news not in browser.get(page).text
    browser.get(reverse("version", args=[versions[1].pk]))
    shown = browser.get(page).text
    assert news in shown
    assert "2 new versions since you last looked (version 2)" in shown
    assert seen(reader, source) == (2, 2), "the source's own page shows no version"
    led = browser.get(news)
    expected = f"{reverse('source-diff', args=[source.pk])}?a={versions[1].pk}&b={versions[3].pk}"
    assert led.headers["Location"] == expected
    browser.get(expected)
    assert seen(reader, source) == (4, 0)
    assert news not in browser.get(page).text
    nothing = browser.get(news, follow=True)
    assert "Nothing is new since you last looked" in nothing.text
    assert f'value="{versions[2].pk}" selected' in nothing.text


def test_notices_lead_there(source: Source, versions: list[Version]) -> None:
    assert reverse("source-news", args=[source.pk]) in message_of([versions[3]]).body


def test_stars_stand_on_the_pages(browser: Client, source: Source, versions: list[Version]) -> None:
    for kind, key in (("source", source.pk), ("version", versions[0].pk)):
        page = reverse(kind, args=[key])
        assert reverse("star", args=[kind, key]) in browser.get(page).text
        starred = browser.post(reverse("star", args=[kind, key]), {"back": page}, follow=True)
        assert starred.redirect_chain == [(page, 302)]
        assert reverse("unstar", args=[kind, key]) in starred.text
        assert f'href="{page}"' in browser.get(reverse("favourites")).text


def test_programs_ask_and_tell(reader: Person, source: Source, versions: list[Version]) -> None:
    _row, secret = create_token(actor=reader, name="program")
    program = Client(headers={"Authorization": f"Bearer {secret}"})
    address = f"/api/v1/sources/{source.pk}"
    assert program.get(f"{address}/news").json() == {"newest": str(versions[3].pk), "seen": None, "count": 0}
    told = program.post(f"{address}/seen", json.dumps({"version": str(versions[0].pk)}), "application/json")
    assert told.json() == {"newest": str(versions[3].pk), "seen": str(versions[0].pk), "count": 3}
    diff = program.get(f"{address}/diff", {"a": "seen"}).json()
    assert (diff["before"], diff["after"]) == (str(versions[0].pk), str(versions[3].pk))
    program.post(f"{address}/seen", "{}", "application/json")
    assert program.get(f"{address}/diff", {"a": "seen"}).json() is None
