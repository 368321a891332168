"""Every reading example of the wiki document works as written, host and version path apart (figures 20 to 24, 10)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import duckdb
import pyarrow.parquet as pq
import pytest

from ronda.jobs.models import Job
from ronda.jobs.services import run
from ronda.lake.reading import reading
from ronda.wiki import hot_reading
from ronda.wiki.hot_columns import HotColumns
from ronda.wiki.models import Article, Wiki
from ronda.wiki.sandbox.asking import end_idle
from tests.running import wait_for
from tests.wiki.asking import Asker
from tests.wiki.histories import put, revision

pytestmark = pytest.mark.django_db(transaction=True)

FIGURE_23 = """
{
  "$match": {
    "extraction_date": "2017-09-28T02:36:33.452000",
    "pageid": 4606
  }
},
{
  "$project" :{
    "pageid": 1 , "timestamp" : 1
  }
},
{ "$limit" : 5 }
"""


@pytest.fixture
def asker(own_lake: Path) -> Iterator[Asker]:
    """Two articles: the Battle of the Nile (figure 21), and RabbitMQ in Spanish."""
    english = Wiki.objects.create(
        key="en.wikipedia.org", api="https://en.wikipedia.org/w/api.php", locale="en"
    )
    spanish = Wiki.objects.create(
        key="es.wikipedia.org", api="https://es.wikipedia.org/w/api.php", locale="es"
    )
    Article.objects.create(
        wiki=english,
        pageid=4606,
        title="Battle of the Nile",
        locale="en",
        first_extraction_date=datetime(2017, 9, 28, 2, 36, 34, 798000, UTC),
        last_extraction_date=datetime(2017, 9, 28, 2, 40, 3, 942000, UTC),
        last_revision=802628501,
    )
    Article.objects.create(
        wiki=spanish, pageid=3787053, title="RabbitMQ", locale="es", last_revision=87575870
    )
    nile = [revision(number) for number in range(239939, 239946)]
    nile[0] |= {"user": "Ta bu shi da yu", "sha1": "751fec2f"}
    rabbits = [
        revision(number, wiki="es.wikipedia.org", pageid=3787053, title="RabbitMQ", user="WikiPediaAid")
        for number in range(1, 4)
    ]
    put([*nile, *rabbits], {"751fec2f": "[[History]] -- [[Military history]]"})
    yield Asker()
    end_idle()


def test_articles_as_in_figure_21(asker: Asker) -> None:
    status, answer = asker.get(
        "/articles?title=Battle+of+the+Nile&page=1&page_size=10&sort=-last_extraction_date"
    )
    assert status == 200
    (article,) = answer["items"]
    assert (
        article.items()
        >= {
            "ns": 0,
            "pageid": 4606,
            "title": "Battle of the Nile",
            "locale": "en",
            "first_extraction_date": "2017-09-28T02:36:34.798000",
            "last_extraction_date": "2017-09-28T02:40:03.942000",
            "last_revision_extracted": 802628501,
        }.items()
    )
    for filters, total in (
        ({"locale": "es"}, 1),
        ({"last_revision_extracted": 87575870}, 1),
        ({"first_extraction_date": "2017-09-28"}, 1),
        ({"last_extraction_date": "2017-09-28T02:40:03.942000"}, 1),
        ({"color": "red"}, 2),
    ):
        assert asker.get(f"/articles?{urlencode(filters)}")[1]["total"] == total, filters


def test_revisions_as_in_figure_22(asker: Asker) -> None:
    status, answer = asker.get("/revisions?revid=239939&text=1")
    assert status == 200
    (found,) = answer["items"]
    assert (
        found.items()
        >= {
            "comment": "Some editing in first paragraph",
            "size": 2812,
            "pageid": 4606,
            "tags": [],
            "userid": 72,
            "revid": 239939,
            "contentmodel": "wikitext",
            "extraction_date": "2017-09-28T02:36:33.452000",
            "parentid": 239938,
            "title": "Battle of the Nile",
            "text": "[[History]] -- [[Military history]]",
        }.items()
    )
    assert "text" not in asker.get("/revisions?revid=239939")[1]["items"][0]
    assert asker.get("/revisions?sort=color")[0] == 422


def test_metrics_as_the_tables_have_them(asker: Asker) -> None:
    assert asker.get("/count?user=Ta+bu+shi+da+yu")[1] == {"status": "Task completed", "count": 1}
    assert asker.get("/count?user=Jahaza&color=red")[1] == {"status": "Task completed", "count": 0}
    assert asker.get("/count?locale=es")[1]["count"] == 3
    assert asker.get("/count?api=https://es.wikipedia.org/w/api.php&pageid=3787053")[1]["count"] == 3
    assert asker.get("/count?wiki=no.such.wiki")[1]["count"] == 0
    mean = asker.get("/avg?title=RabbitMQ&datestart=2002-01-14&dateend=2002-01-15")[1]
    assert mean == {"status": "Task completed", "result": 1.5, "count": 3, "days": 2}
    status, problem = asker.get("/avg?title=RabbitMQ&dateend=2002-01-15")
    assert (status, problem["errors"][0]["field"]) == (422, "datestart")
    mode = asker.get("/mode?title=RabbitMQ&attribute=user")[1]
    assert (mode["result"], mode["count"]) == (["WikiPediaAid"], 3)
    assert "only one" in asker.get("/mode?user=Szopen&attribute=user")[1]["note"]
    assert asker.get("/mode?attribute=colour")[0] == 422


def test_metrics_run_as_jobs_when_asked(asker: Asker) -> None:
    import threading

    for path, kind in (
        ("/count?user=Szopen&async=1", "count_task"),
        ("/avg?datestart=2002-01-01&dateend=2002-12-31&async=1", "avg_task"),
        ("/mode?attribute=user&title=RabbitMQ&async=1", "mode_task"),
    ):
        status, answer = asker.get(path)
        assert status == 202
        job = Job.objects.get(kind=kind)
        assert answer["Location"].endswith(f"/api/v1/status/{job.pk}?name={kind}")
        run(job_id=job.pk, worker="test", stopping=threading.Event())
        status, told = asker.get(answer["Location"].split("/api/v1", 1)[1])
        assert (status, told["state"]) == (200, "SUCCESS")
        assert told["result"]["status"] == "Task completed"
    assert told["result"]["result"] == ["WikiPediaAid"]
    assert asker.get("/avg?async=1")[0] == 422, "a mistake is told before anything is queued"


def test_authors_in_memory_are_of_the_very_snapshot_that_is_asked(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hot_reading, "LEAST_REVISIONS", 1)
    monkeypatch.setattr(hot_reading, "_not_before", 0.0)

    def known() -> HotColumns | None:
        with reading() as lake:
            return hot_reading.columns_of(lake)

    first = wait_for(known, "the columns")
    assert len(first.days) == 10
    assert asker.get("/mode?attribute=user&datestart=2002-01-01")[1]["count"] == 6
    put([revision(number, user="Newcomer") for number in range(300000, 300020)])
    assert asker.get("/mode?attribute=user&datestart=2002-01-02")[1]["result"] == ["Newcomer"]
    monkeypatch.setattr(hot_reading, "_not_before", 0.0)
    assert len(wait_for(known, "the columns of the newer snapshot").days) == 30
    assert asker.get("/mode?attribute=user&datestart=2002-01-03")[1]["result"] == ["Newcomer"]
    assert asker.get("/count?user=Newcomer")[1]["count"] == 20


def test_query_as_in_figures_23_and_24(asker: Asker) -> None:
    place = "/query?collection=revisions&date_format=%Y-%m-%dT%H:%M:%S.%f"
    status, answer = asker.post(place, FIGURE_23)
    assert status == 200, answer
    assert len(answer["items"]) == 5
    assert set(answer["items"][0]) == {"pageid", "timestamp"}
    assert asker.post(place, f"[{FIGURE_23}]")[1] == answer
    status, articles = asker.post("/query?collection=articles", [{"$match": {"locale": "es"}}])
    assert [article["title"] for article in articles["items"]] == ["RabbitMQ"]
    status, problem = asker.post("/query", [{"$lookup": {}}])
    assert status == 422
    assert "$lookup" in problem["detail"]
    assert asker.post("/query?collection=people", [])[0] == 422
    other_type = asker.client.post("/api/v1/query", "[]", content_type="text/plain")
    assert other_type.status_code == 415


def test_results_come_as_csv_and_parquet(asker: Asker) -> None:
    by_format = asker.client.get("/api/v1/revisions?title=RabbitMQ&format=csv")
    assert by_format["Content-Type"].startswith("text/csv")
    assert by_format.content.decode().splitlines()[0].startswith("wiki,pageid,revid")
    by_header = asker.client.get("/api/v1/count", headers={"Accept": "text/csv"})
    assert by_header.content.decode().split() == ["count", "10"]
    body = '[{"$group": {"_id": {"who": "$user"}, "sizes": {"$push": "$size"}}}]'
    answer = asker.client.post("/api/v1/query?format=parquet", body, content_type="application/json")
    table = pq.read_table(io.BytesIO(answer.content))
    assert table.column_names == ["_id", "sizes"]
    assert table.num_rows == 3
    for path in ("/articles", "/mode?attribute=user", "/avg?datestart=2002-01-01&dateend=2002-01-02"):
        answer = asker.client.get(f"/api/v1{path}{'&' if '?' in path else '?'}format=parquet")
        assert pq.read_table(io.BytesIO(answer.content)).num_rows >= 1


def test_sql_for_those_who_prefer_it(asker: Asker) -> None:
    sql = (
        "WITH edits AS (SELECT title, count(*) AS n FROM revisions GROUP BY title)"
        " SELECT a.locale, e.n, lag(e.n) OVER (ORDER BY e.n) AS before FROM edits e"
        " JOIN articles a USING (title) ORDER BY e.n"
    )
    status, answer = asker.sql(sql)
    assert status == 200, answer
    assert answer["items"] == [
        {"locale": "es", "n": 3, "before": None},
        {"locale": "en", "n": 7, "before": 3},
    ]
    cut = asker.post("/query?max_rows=2", {"sql": "FROM revisions"})[1]
    assert (cut["total"], cut["is_cut"]) == (2, True)
    status, problem = asker.sql("SELECT no_such_column FROM revisions")
    assert status == 422
    assert "no_such_column" in problem["detail"]
    assert duckdb.__version__ not in problem["detail"]


def test_revisions_of_one_second_stand_in_the_wikis_order_or_its_reverse(asker: Asker) -> None:
    put([revision(number, title="At once", timestamp=datetime(2020, 5, 1)) for number in (31, 33, 32)])  # noqa: DTZ001
    for sort, expected in (("-timestamp", [33, 32, 31]), ("timestamp", [31, 32, 33])):
        _, told = asker.get(f"/revisions?title=At+once&sort={sort}")
        assert [one["revid"] for one in told["items"]] == expected
