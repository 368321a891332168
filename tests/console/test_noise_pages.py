"""The page of a source's noise, and the scores of its versions: what people see and do there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.rounds.models import NoiseRule, Source
from ronda.rounds.noise_models import NoiseState
from tests.console.markup import Page
from tests.rounds.kept_sites import HOME, followed, version_of
from tests.rounds.sources import own_archive
from tests.rounds.working import work_off


@pytest.fixture
def owner(make_person: Callable[..., Person], tmp_path: Path) -> Iterator[Person]:
    with own_archive(tmp_path):
        yield make_person("owner@example.org", Role.SUBSCRIBER)


@pytest.fixture
def source(owner: Person) -> Source:
    source = followed(owner=owner)
    for number in (1, 2):
        said = f"<p>The hall is open again, for the {'second' if number == 2 else 'first'} time.</p>"
        version_of(source, {HOME: f"<body>{said}<p class='c'>Visitor {number}</p></body>"})
    work_off()
    return source


def test_add_try_undo_redo(owner: Person, source: Source, browser_of: Callable[..., Client]) -> None:
    browser = browser_of(owner)
    address = reverse("source-noise", args=[source.pk])
    tried = browser.post(address, {"kind": "selector", "where": "p.c", "try": ""})
    assert tried.status_code == 200
    assert "Visitor 2" in tried.text
    assert not NoiseRule.objects.exists()
    added = browser.post(address, {"kind": "selector", "where": "p.c", "add": ""}, follow=True)
    assert "It is ignored from the next visit on." in added.text
    rule = NoiseRule.objects.get()
    assert rule.state == NoiseState.HAND
    undone = browser.post(reverse("noise-undo", args=[source.pk, rule.pk]), follow=True)
    assert "It counts again" in undone.text
    browser.post(reverse("noise-redo", args=[source.pk, rule.pk]))
    rule.refresh_from_db()
    assert rule.state == NoiseState.HAND
    assert Page(browser.get(address).text).complaints == []


@pytest.mark.parametrize("language", ["en", "es"])
def test_mistakes_stand_at_the_field(
    owner: Person, source: Source, browser_of: Callable[..., Client], language: str
) -> None:
    browser = browser_of(owner, language)
    for action in ("try", "add"):
        response = browser.post(
            reverse("source-noise", args=[source.pk]), {"kind": "pattern", "where": "(", action: ""}
        )
        assert response.status_code == 422
        assert 'aria-invalid="true"' in response.text
        assert Page(response.text).complaints == []


def test_others_look_and_change_nothing(
    source: Source, make_person: Callable[..., Person], browser_of: Callable[..., Client]
) -> None:
    rule = NoiseRule.objects.create(source=source, kind="field", where="sid", nature="token", state="learnt")
    browser = browser_of(make_person("reader@example.org", Role.READER))
    address = reverse("source-noise", args=[source.pk])
    page = browser.get(address).text
    assert "sid" in page
    assert "noise-undo" not in page
    assert "Undo" not in page
    assert browser.post(address, {"kind": "field", "where": "x", "add": ""}).status_code == 403
    assert browser.post(reverse("noise-undo", args=[source.pk, rule.pk])).status_code == 403


def test_scores_stand_on_versions(owner: Person, source: Source, browser_of: Callable[..., Client]) -> None:
    browser = browser_of(owner)
    version = source.versions.get(number=2)
    shown = browser.get(reverse("version", args=[version.pk])).text
    assert "What changed" in shown
    assert f"{version.weight.score:.3f}" in shown
    assert "important from 0.020" in shown
    assert f"{version.weight.score:.3f}" in browser.get(reverse("source-versions", args=[source.pk])).text
    first = browser.get(reverse("version", args=[source.versions.get(number=1).pk])).text
    assert "What changed" not in first
