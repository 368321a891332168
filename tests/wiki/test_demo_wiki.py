"""The demo's wiki, extracted through the API: what its articles have in store, many at once, gaps that are healed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from django.test import Client

from ronda.accounts.models import Person
from ronda.demo.clock import DemoClock
from ronda.demo.server import DemoServer
from ronda.demo.threaded import serve_in_thread
from ronda.demo.world import DemoWorld
from ronda.jobs.models import OPEN_STATES, Job, State
from ronda.jobs.services import run
from ronda.lake.reading import reading
from ronda.lake.writing import write
from ronda.wiki.models import Article, Completeness

pytestmark = pytest.mark.django_db(transaction=True)

BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoServer]:
    with serve_in_thread(DemoWorld(), DemoClock(speed=0)) as server:
        yield server


@pytest.fixture
def client(asking: None, subscriber: Person) -> Client:
    made = Client()
    made.force_login(subscriber, backend=BACKEND)
    return made


def _work() -> None:
    """As workers would, until nothing is left to do."""
    while job := Job.objects.filter(state__in=OPEN_STATES).order_by("created_at").first():
        run(job_id=job.pk, worker="test", stopping=threading.Event())


def _asked(question: str, *values: Any) -> list[tuple[Any, ...]]:
    with reading() as lake:
        return lake.execute(question, list(values)).fetchall()


def test_the_documents_examples(client: Client) -> None:
    answer = client.get("/api/v1/extract?title=RabbitMQ&locale=es")
    assert answer.status_code == 202
    job = Job.objects.get()
    assert list(answer.json()) == ["Location"]
    assert answer.json()["Location"].endswith(f"/api/v1/status/{job.pk}?name=extract_article")
    assert answer.headers["Location"] == answer.json()["Location"]
    assert job.arguments["api"] == "https://es.wikipedia.org/w/api.php"
    status = client.get(answer.json()["Location"].partition("8000")[2] or answer.json()["Location"])
    assert status.json()["state"] == "PENDING"
    # Whoever asks again while it runs gets the same one.
    assert client.get("/api/v1/extract?title=RabbitMQ&locale=es").json() == answer.json()

    url = "https://en.wikipedia.org/wiki/The_Lord_of_the_Rings"
    assert client.get(f"/api/v1/extract?url={url}").status_code == 202
    told = Job.objects.latest("created_at").arguments
    assert (told["title"], told["api"]) == ("The Lord of the Rings", "https://en.wikipedia.org/w/api.php")
    assert told["locale"] == "en"
    assert client.get("/api/v1/extract?title=X").status_code == 202
    assert Job.objects.latest("created_at").arguments["api"] == "https://en.wikipedia.org/w/api.php"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "title=%7C",
        "title=X&locale=../evil",
        "title=X&api=https://example.org/",
        "url=https://en.wikipedia.org/nothing",
        "title=X&api=http://169.254.169.254/api.php",
        "title=X&api=ftp://example.org/api.php",
    ],
)
def test_what_cannot_be_meant_is_refused(client: Client, query: str) -> None:
    answer = client.get(f"/api/v1/extract?{query}")
    if "169.254" in query:  # allowed by its form where private networks are, but never connected to
        _work()
        assert Job.objects.get().state == State.FAILED
    else:
        assert answer.status_code == 422, answer.json()
        assert not Job.objects.exists()


def test_everything_an_article_may_have(client: Client, demo: DemoServer) -> None:
    client.get("/api/v1/extract", {"title": "Augusta Ada King", "api": demo.wiki_api_url})
    _work()
    job = Job.objects.get(kind="extract_article")
    assert job.state == State.SUCCEEDED, job.error
    assert job.result
    assert job.result["redirected_from"] == "Augusta Ada King"
    article = Article.objects.get()
    assert article.title == "Ada Lovelace"
    assert article.completeness == Completeness.PROVED
    assert article.revisions == _asked("SELECT count(DISTINCT revid) FROM revisions")[0][0] > 500
    # Null revisions share the text of their parent, imported authors keep their names, reverts share texts.
    assert _asked(
        "SELECT count(*) FROM revisions r JOIN revisions p ON p.revid = r.parentid AND p.sha1 = r.sha1"
    )[0][0]
    assert _asked("SELECT count(*) FROM texts")[0][0] < article.revisions
    again = client.get(f"/api/v1/articles/{article.pk}/completeness").json()
    assert (again["state"], again["revisions"]) == ("proved", article.revisions)


def test_a_category_and_a_gap_that_is_healed(client: Client, demo: DemoServer) -> None:
    answer = client.post(
        "/api/v1/extractions",
        {"category": "Archives", "api": demo.wiki_api_url, "with_text": True},
        content_type="application/json",
    )
    assert answer.status_code == 202, answer.json()
    _work()
    assert sorted(Article.objects.values_list("title", flat=True)) == ["Lighthouse", "Web archiving"]
    article = Article.objects.get(title="Lighthouse")
    assert article.completeness == Completeness.PROVED
    before = _asked("SELECT revid, sha1, tags FROM revisions WHERE title = 'Lighthouse' ORDER BY revid")

    def lose(lake: duckdb.DuckDBPyConnection) -> None:
        lake.execute("DELETE FROM revisions WHERE title = 'Lighthouse' AND revid % 10 = 0")
        lake.execute("DELETE FROM texts WHERE sha1 LIKE 'a%'")

    write(lose)
    client.post(f"/api/v1/articles/{article.pk}/check")
    _work()
    job = Job.objects.get(kind="check_article")
    assert job.state == State.SUCCEEDED, job.error
    assert job.result
    assert job.result["healed"] > 0
    assert job.result["texts"] > 0
    article.refresh_from_db()
    assert (article.completeness, article.gaps) == (Completeness.PROVED, [])
    assert (
        _asked("SELECT revid, sha1, tags FROM revisions WHERE title = 'Lighthouse' ORDER BY revid") == before
    )
