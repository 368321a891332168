"""Pages that ask histories: a question is answered, drawn and downloaded; revisions are filtered; articles tell."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.test import Client

from ronda.accounts.roles import Role
from ronda.wiki.models import Article, Wiki
from ronda.wiki.query_examples import EXAMPLES
from ronda.wiki.sandbox.asking import end_idle
from tests.people import person_with
from tests.wiki.histories import put, revision

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def browser(own_lake: Path) -> Client:
    wiki = Wiki.objects.create(key="en.wikipedia.org", api="https://en.wikipedia.org/w/api.php")
    Article.objects.create(pk=1, wiki=wiki, pageid=4606, title="Battle of the Nile")
    Article.objects.create(pk=2, wiki=wiki, pageid=2, title="Tagus <b>")
    rows = [revision(number, user=["Ana", "Beto", "<b>x</b>"][number % 3]) for number in range(1, 7)]
    put([*rows, revision(9, pageid=2, title="Tagus <b>", parentid=0)], {"sha1": "a\nb", "sha2": "a\nc"})
    client = Client()
    client.force_login(person_with(Role.READER))
    return client


def test_a_question_is_answered_drawn_and_downloaded(browser: Client) -> None:
    assert browser.get("/wiki/query").status_code == 200
    for example in EXAMPLES:
        shown = browser.get(
            f"/wiki/query?{urlencode({'language': example.language, 'question': example.question})}"
        )
        assert example.question.split("\n")[0].replace('"', "&quot;") in shown.content.decode()
        asked = {"language": example.language, "question": example.question, "collection": "revisions"}
        answered = browser.post("/wiki/query", asked)
        assert answered.status_code == 200, example.question
        assert b'role="status"' in answered.content
    page = browser.post(
        "/wiki/query", {"language": "pipeline", "question": EXAMPLES[0].question}
    ).content.decode()
    assert "<rect" in page
    assert "<b>x</b>" not in page
    table = browser.post(
        "/wiki/query", {"language": "pipeline", "question": EXAMPLES[0].question, "format": "csv"}
    )
    assert table["Content-Disposition"] == 'attachment; filename="answer.csv"'
    wrong = browser.post("/wiki/query", {"language": "sql", "question": "SELECT * FROM duckdb_settings()"})
    assert wrong.status_code == 422
    assert b"duckdb_settings" in wrong.content
    end_idle()


def test_revisions_are_filtered_and_compared(browser: Client) -> None:
    page = browser.get("/wiki/revisions?user=Ana&sort=-revid").content.decode()
    assert "2 revisions" in page
    assert browser.get("/wiki/revisions?datestart=x").status_code == 422
    assert browser.get("/wiki/revisions?sort=colour").status_code == 422
    compared = browser.get("/wiki/diff?a=2").content.decode()
    assert "<del>b</del>" in compared
    assert browser.get("/wiki/diff").status_code == 200
    assert browser.get("/wiki/diff?a=77&b=78").status_code == 404
    assert browser.get("/wiki/diff?a=x").status_code == 422


def test_articles_tell(browser: Client) -> None:
    page = browser.get("/articles/1/statistics").content.decode()
    assert "Top editors by edits" in page
    assert "<b>x</b>" not in page
    part = browser.get("/articles/1/statistics", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "6 revisions" in browser.get("/articles/1/revisions", follow=True).content.decode()
    assert 'id="statistics"' in browser.get("/articles/1").content.decode()
    assert "Nobody edited both" in browser.get("/wiki/compare?article=1&article=2").content.decode()
    assert 'href="/wiki/compare"' in browser.get("/articles").content.decode()
    choosing = browser.get("/wiki/compare?article=2").content.decode()
    assert '<option value="1">Battle of the Nile' in choosing
    assert '<option value="2" selected>Tagus &lt;b&gt;' in choosing
    assert browser.get("/wiki/compare?article=1").status_code == 200
    assert browser.get("/articles/99/statistics").status_code == 404
    assert Client().get("/wiki/query").status_code == 302
