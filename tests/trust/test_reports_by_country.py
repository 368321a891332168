"""Of a fetch from several countries one answer is reported, and once it is replaced, all are compared anew."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.test import Client

from ronda.accounts import services as accounts
from ronda.accounts.models import Person
from ronda.errors import InvalidInput
from ronda.frontier.models import Request
from ronda.grid import comparisons, fetches
from ronda.grid.models import Fetch
from ronda.grid.vantage import vantage_summary
from ronda.jobs.models import Job
from ronda.jobs.services import run
from ronda.trust import judging, queries, services
from ronda.trust.models import Check, Standing
from tests.grid.warc_bodies import response
from tests.trust.crowd import Contributor

pytestmark = pytest.mark.django_db

URL = "http://h0.example/page"


def blocked(_url: str) -> bytes:
    return response(451, b"Not here.", "text/plain")


def compare() -> None:
    comparisons.start_comparisons()
    for job in Job.objects.filter(kind="compare_vantages", state="queued"):
        run(job_id=job.pk, worker="test", stopping=threading.Event())


@pytest.fixture
def people() -> dict[str, Contributor]:
    """Eve in Chile says that the page is blocked there; nothing of it was chosen to be checked."""
    found = {
        "eve": Contributor("eve", says=blocked),
        "dora": Contributor("dora", country="DE"),
    }
    for one in found.values():
        Standing.objects.create(node=one.node, replicated=10**6, consecutive_valid=10**6, agreed=10**6)
    return found


@pytest.fixture
def fetch(client: Person, people: dict[str, Contributor]) -> Fetch:
    made = fetches.create_fetch(actor=client, urls=[URL], vantage=["CL", "DE"])
    for one in people.values():
        assert one.work()[0] == 200
    Check.objects.all().delete()
    Request.objects.all().delete()
    compare()
    return Fetch.objects.get(pk=made.pk)


def report(client: Person, fetch: Fetch, **what: Any) -> tuple[int, Any]:
    _token, secret = accounts.create_token(actor=client, name="report")
    reply = Client().post(
        f"/api/v1/fetches/{fetch.pk}/reports",
        what,
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    return reply.status_code, reply.json()


def test_a_url_alone_accuses_no_country(client: Person, fetch: Fetch) -> None:
    with pytest.raises(InvalidInput, match="CL, DE") as refused:
        services.report_answer(actor=client, fetch_id=fetch.pk, url=URL)
    assert refused.value.field == "country"
    assert report(client, fetch)[0] == 422, "nor does nothing at all"
    assert report(client, fetch, url=URL, country="FR")[0] == 404
    assert not Check.objects.exists()


def test_one_country_is_replaced_and_compared_again(
    client: Person, fetch: Fetch, people: dict[str, Contributor]
) -> None:
    summary = vantage_summary(fetch)
    assert summary
    assert (summary.is_compared, summary.differ, summary.match) == (True, 1, 0)
    honest = [Contributor("ana"), Contributor("bob")]
    status, made = report(client, fetch, url=URL, country="CL", note="I see it from here")
    assert (status, made["country"], made["outcome"]) == (202, "CL", "waiting")
    for one in honest:
        assert one.work()[0] == 200
        judging.judge_ready_checks(30)
    assert queries.reports(actor=client, fetch_id=fetch.pk)[0].outcome == "replaced"
    assert {a.country: a.status for a in fetch.counting_answers} == {"CL": 200, "DE": 200}
    fetch.refresh_from_db()
    summary = vantage_summary(fetch)
    assert summary
    assert not summary.is_compared, "what was said of it no longer holds"
    compare()
    fetch.refresh_from_db()
    summary = vantage_summary(fetch)
    assert summary
    assert (summary.is_compared, summary.differ, summary.match) == (True, 0, 1)


def test_an_answer_is_named_by_its_id(client: Person, fetch: Fetch, people: dict[str, Contributor]) -> None:
    Contributor("ana")
    german = fetch.counting_answers.get(country="DE")
    status, made = report(client, fetch, answer=german.pk)
    assert (status, made["answer"], made["country"]) == (202, german.pk, "DE")


def test_each_country_can_be_reported_from_the_page_of_differences(client: Person, fetch: Fetch) -> None:
    browser = Client()
    browser.force_login(client)
    page = browser.get(f"/fetches/{fetch.pk}").content.decode()
    for answer in fetch.counting_answers:
        assert f'id="report-difference-{answer.pk}"' in page
        assert f'id="report-{answer.pk}"' in page, "and in the list of all"
