"""Pages of differences and notifications: what changed is seen, and archived markup never reaches the console."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.rounds import notifications
from ronda.rounds.models import Source, Version
from ronda.rounds.notification_models import Target
from tests.console.markup import Page
from tests.rounds.kept_sites import HOME, followed, version_of
from tests.rounds.working import work_off

HOSTILE = "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p><a href='{}'>&lt;script&gt;alert(2)&lt;/script&gt;</a>"


@pytest.fixture
def reader(make_person: Callable[..., Person]) -> Person:
    return make_person("reader@example.org", Role.READER)


@pytest.fixture
def versions(db: None) -> list[Version]:
    source = followed(title="<script>alert(0)</script>")
    return [
        version_of(source, {HOME: "<title>One</title><p>old words stand here</p>"}),
        version_of(
            source,
            {
                HOME: "<title>Two</title><h2>More</h2><p>new words stand here</p><img src=/i.png>"
                + HOSTILE.format("/x?<script>alert(3)</script>"),
                f"{HOME}<script>alert(4)</script>": "x",
            },
        ),
    ]


def _clean(html: str, language: str) -> None:
    page = Page(html)
    assert page.complaints == []
    assert page.language == language
    assert "<script>alert" not in html


@pytest.mark.parametrize("language", ["en", "es"])
def test_page_diff(
    reader: Person, versions: list[Version], browser_of: Callable[..., Client], language: str
) -> None:
    browser = browser_of(reader, language)
    seen = {}
    for tab in ("text", "structure", "assets", "links"):
        for view in ("inline", "side"):
            response = browser.get(reverse("page-diff"), {"url": HOME, "tab": tab, "view": view})
            assert response.status_code == 200
            _clean(response.text, language)
            seen[tab, view] = response.text
    assert "<del>old</del><ins>new</ins> words stand here" in seen["text", "inline"]
    assert "<td><del>old</del> words stand here</td>" in seen["text", "side"]
    assert "<ins>Two</ins>" in seen["structure", "inline"]
    assert f"{HOME}i.png" in seen["assets", "inline"]
    assert "alert(2)" in seen["links", "inline"]
    _clean(browser.get(reverse("page-diff")).text, language)
    assert browser.get(reverse("page-diff"), {"url": ""}).status_code == 422
    assert browser.get(reverse("page-diff"), {"url": f"{HOME}never"}).status_code == 404


@pytest.mark.parametrize("language", ["en", "es"])
def test_source_diff(
    reader: Person, versions: list[Version], browser_of: Callable[..., Client], language: str
) -> None:
    browser = browser_of(reader, language)
    address = reverse("source-diff", args=[versions[0].source_id])
    waiting = browser.get(address)
    assert 'hx-trigger="every 2s"' in waiting.text, "it shows itself anew until the pages are compared"
    _clean(waiting.text, language)
    work_off()
    done = browser.get(address, {"a": str(versions[0].pk), "b": str(versions[1].pk)})
    _clean(done.text, language)
    assert "hx-trigger" not in done.text
    link = f"{reverse('page-diff')}?"
    assert link in done.text
    part = browser.get(address, headers={"HX-Request": "true"})
    assert part.text.lstrip().startswith('<div id="live-')
    third = version_of(versions[0].source, {HOME: "<p>third</p>"})
    assert str(third.pk) in browser.get(address, {"a": "nonsense"}).text
    lonely: Source = followed("cultural")
    _clean(browser.get(reverse("source-diff", args=[lonely.pk])).text, language)


@pytest.mark.parametrize("language", ["en", "es"])
def test_notifications(
    reader: Person, versions: list[Version], browser_of: Callable[..., Client], language: str
) -> None:
    browser, address = browser_of(reader, language), reverse("notifications")
    _clean(browser.get(address).text, language)
    assert browser.post(address, {"kind": "apprise", "address": "nonsense://"}).status_code == 422
    assert browser.post(address, {"kind": "mail"}).status_code == 302
    target = Target.objects.get()
    assert target.language == language
    choice = {"target": target.pk, "rhythm": "weekly", "hour": 5, "weekday": 6}
    wrong = browser.post(reverse("notifications-subscribe"), {**choice, "what": "nothing"})
    assert wrong.status_code == 422
    _clean(wrong.text, language)
    for what in ("mine", f"source:{versions[0].source_id}", "collection:scientific"):
        assert browser.post(reverse("notifications-subscribe"), {**choice, "what": what}).status_code == 302
    Target.objects.update(failures=3, last_error="<script>alert(1)</script>")
    _clean(browser.get(address).text, language)
    assert target.subscriptions.count() == 3
    first = target.subscriptions.earliest("pk")
    assert browser.post(reverse("notifications-unsubscribe", args=[first.pk])).status_code == 302
    assert browser.post(reverse("notifications-test", args=[target.pk])).status_code == 302
    for name, arguments in (("notifications-remove", [target.pk]), ("feeds-renew", [])):
        _clean(browser.get(reverse(name, args=arguments)).text, language)
        assert browser.post(reverse(name, args=arguments)).status_code == 302
    assert not notifications.targets(actor=reader).exists()


def test_a_target_is_its_person_s_alone(
    reader: Person, browser_of: Callable[..., Client], make_person: Callable[..., Person]
) -> None:
    target = notifications.add_target(actor=reader, kind="mail")
    eve = browser_of(make_person("eve@example.org", Role.ADMINISTRATOR))
    for name in ("notifications-test", "notifications-remove"):
        assert eve.post(reverse(name, args=[target.pk])).status_code == 404
    assert browser_of().get(reverse("notifications")).status_code == 302
