"""Articles in the console: the list, what is being extracted, one article, adding one and many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.models import Collection
from ronda.jobs.models import Job
from ronda.rounds.models import Scope, Source
from ronda.wiki.models import Article, Completeness, Wiki


@pytest.fixture(autouse=True)
def _contact() -> Iterator[None]:
    with override_settings(RONDA=replace(settings.RONDA, contact="ops@example.org")):
        yield


@pytest.fixture
def article(db: None) -> Article:
    wiki = Wiki.objects.create(
        key="en.wikipedia.org", api="https://en.wikipedia.org/w/api.php", name="Wikipedia"
    )
    return Article.objects.create(
        wiki=wiki,
        pageid=4606,
        title="Battle of the Nile",
        locale="en",
        revisions=3301,
        hidden_revisions=2,
        counted_revisions=3299,
        completeness=Completeness.PROVED,
        checked_at=timezone.now(),
    )


def test_the_list_and_the_page_say_how_complete_a_history_is(browser: Client, article: Article) -> None:
    page = browser.get("/articles").content.decode()
    assert "Battle of the Nile" in page
    assert "3,301" in page
    page = browser.get(f"/articles/{article.pk}").content.decode()
    assert "as many as the wiki counts, every parent is here" in page
    assert "3,299" in page
    article.completeness, article.gaps = Completeness.GAPS, [77]
    article.save()
    assert "<code>77</code>" in browser.get(f"/articles/{article.pk}").content.decode()
    assert browser.get("/articles?completeness=proved").content.decode().count("Battle of the Nile") == 0
    assert browser.get("/articles/999").status_code == 404


def test_articles_are_added_and_their_extraction_is_shown(browser: Client, article: Article) -> None:
    given = {"title": "https://es.wikipedia.org/wiki/RabbitMQ", "with_text": "on", "locale": "en"}
    assert browser.post("/articles/add", given).status_code == 302
    job = Job.objects.get(kind="extract_article")
    assert job.arguments["api"] == "https://es.wikipedia.org/w/api.php"
    assert job.arguments["title"] == "RabbitMQ"
    Job.objects.update(state="running", done=1250, total=3301, sentence="{done:,} of {total:,} revisions")
    assert "1,250 of 3,301 revisions" in browser.get("/articles").content.decode()

    assert "Give a title" in browser.post("/articles/add", {"title": "_", "locale": "en"}).content.decode()
    refused = browser.post("/articles/add", {"title": "X", "api": "http://127.0.0.1/api.php"})
    assert "only host names are fetched" in refused.content.decode()
    assert (
        browser.post("/articles/add-many", {"category": "Naval battles", "locale": "en"}).status_code == 302
    )
    many = Job.objects.get(kind="extract_articles")
    assert many.arguments["category"] == "Naval battles"
    assert (
        "Give a category or a list" in browser.post("/articles/add-many", {"locale": "en"}).content.decode()
    )

    assert browser.post(f"/articles/{article.pk}/check").status_code == 302
    assert Job.objects.filter(kind="check_article", arguments__article=article.pk).exists()


def test_without_a_contact_nothing_is_asked(browser: Client, article: Article) -> None:
    with override_settings(RONDA=replace(settings.RONDA, contact="")):
        page = browser.post("/articles/add", {"title": "RabbitMQ", "locale": "es"}).content.decode()
        assert "RONDA_CONTACT" in page
        assert not Job.objects.exists()


def test_readers_look_and_do_not_extract(
    make_person: Callable[..., Person], browser_of: Callable[..., Client], article: Article
) -> None:
    reader = browser_of(make_person("reader@example.org", Role.READER))
    page = reader.get("/articles").content.decode()
    assert "Battle of the Nile" in page
    assert "/articles/add" not in page
    assert reader.post("/articles/add", {"title": "RabbitMQ", "locale": "es"}).status_code == 403
    assert not Job.objects.exists()


def test_the_source_of_an_article_has_its_pages_like_any_other(browser: Client, article: Article) -> None:
    source = Source.objects.create(
        url="https://en.wikipedia.org/w/index.php?curid=4606",
        title=article.title,
        collection=Collection.objects.get(slug="cultural"),
        scope=Scope.PAGE,
        visitor="wiki",
        predictor="exponential",
        next_visit_at=timezone.now(),
    )
    article.source, article.revisions = source, 1
    article.save()
    assert f"/sources/{source.pk}" in browser.get(f"/articles/{article.pk}").content.decode()
    for address in ("/sources", f"/sources/{source.pk}", f"/sources/{source.pk}/edit"):
        assert browser.get(address).status_code == 200, address
    assert browser.post(f"/sources/{source.pk}/visit").status_code == 302
    assert Job.objects.get(kind="revisit_article").arguments["article"] == article.pk
