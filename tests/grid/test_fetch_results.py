"""What a client gets of a fetch: the way to each answer, where redirects lead, and how many URLs were refused."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.export import warc_of
from ronda.archive.models import Capture
from ronda.frontier.models import Host, RobotsState
from ronda.frontier.opt_outs import add_opt_out
from ronda.grid import fetches, voiding
from ronda.grid.fetch_results import captures_of
from ronda.grid.fetches_api import as_result
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import AnswerState, Fetch, Node
from ronda.grid.services import register_node
from tests.grid.test_uploads import requests_of, send
from tests.grid.warc_bodies import member, pair, response
from tests.people import person_with

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT, Role.DIRECTOR)


@pytest.fixture
def laptop(ana: Person) -> Node:
    return register_node(actor=ana, name="laptop", version="1", system="Linux", country="CL")


def work_for(ana: Person, laptop: Node, *urls: str) -> tuple[Fetch, Work]:
    fetch = fetches.create_fetch(actor=ana, urls=urls)
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    return fetch, lease_block(actor=ana, node_id=laptop.pk, slots=4)


def warc_urls(ana: Person, fetch: Fetch) -> list[str]:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    data = b"".join(warc_of(captures_of(actor=ana, fetch_id=fetch.pk)))
    records = ArchiveIterator(BytesIO(data), record_types=WarcRecordType.response)
    return [record.headers["WARC-Target-URI"] for record in records]


def lines_of(ana: Person, fetch: Fetch) -> list[dict[str, Any]]:
    return [as_result(answer) for answer in fetches.answers(actor=ana, fetch_id=fetch.pk)]


def test_the_way_to_an_answer_is_in_the_warc(ana: Person, laptop: Node) -> None:
    asked = ["http://a.example/1", "http://a.example/2", "http://b.example/"]
    fetch, work = work_for(ana, laptop, *asked)
    bodies = {
        "http://a.example/1": [
            ("http://a.example/1", 301, "/x"),
            ("http://a.example/x", 302, "/y"),
            ("http://a.example/y", 200, ""),
        ],
        "http://a.example/2": [("http://a.example/2", 302, "/y"), ("http://a.example/y", 200, "")],
        "http://b.example/": [("http://b.example/", 200, "")],
    }
    upload = b"".join(
        pair(step, number, response(status, b"", location=location))
        for url, number in requests_of(work)
        for step, status, location in bodies[url]
    )
    assert send(ana, laptop, work, upload) == 3
    found = warc_urls(ana, fetch)
    assert sorted(found) == sorted(step for steps in bodies.values() for step, _, _ in steps)
    start = found.index("http://a.example/1")
    assert found[start : start + 3] == ["http://a.example/1", "http://a.example/x", "http://a.example/y"]
    assert {(line["url"], line["final_url"], line["location"]) for line in lines_of(ana, fetch)} == {
        ("http://a.example/1", "http://a.example/y", None),
        ("http://a.example/2", "http://a.example/y", None),
        ("http://b.example/", "http://b.example/", None),
    }


def test_what_stands_beside_an_answer_and_did_not_lead_to_it_stays_out(ana: Person, laptop: Node) -> None:
    """As when another's answer took the place of a wrong one."""
    fetch, work = work_for(ana, laptop, "http://a.example/1", "http://b.example/", "http://c.example/")
    send(ana, laptop, work, b"".join(pair(url, number) for url, number in requests_of(work)))
    first, second, third = Capture.objects.order_by("offset")
    fetch.answers.filter(capture=first).update(capture=third)
    assert sorted(warc_urls(ana, fetch)) == sorted([third.url, second.url, third.url])


@pytest.mark.parametrize(
    ("location", "said", "target", "reason"),
    [
        ("//c.example/z", "other-host", "http://c.example/z", "other-host"),
        ("/1", "loop", "http://a.example/1", "loop"),
        ("mailto:x@example.org", "refused", "mailto:x@example.org", "refused"),
        ("/z", "in no mood", "http://a.example/z", None),
    ],
)
def test_results_say_where_a_redirect_leads(
    ana: Person, laptop: Node, location: str, said: str, target: str, reason: str | None
) -> None:
    fetch, work = work_for(ana, laptop, "http://a.example/1")
    [(url, number)] = requests_of(work)
    record = member("response", url, number, response(302, b"", location=location), Ronda_Redirect=said)
    assert send(ana, laptop, work, record) == 1
    [line] = lines_of(ana, fetch)
    assert (line["status"], line["final_url"]) == (302, url)
    assert (line["location"], line["not_followed"]) == (target, reason)


def test_refusals_count_whenever_they_come(ana: Person, laptop: Node) -> None:
    fetch = fetches.create_fetch(
        actor=ana, urls=["http://a.example/1", "http://a.example/2", "http://b.example/1", "ftp://c.example/"]
    )
    assert fetch.refused == 1
    Host.objects.update(robots_expires_at=timezone.now() + timedelta(days=1))
    Host.objects.filter(name="a.example").update(
        robots_state=RobotsState.RULES, robots_text="User-agent: *\nDisallow: /1\n"
    )
    Host.objects.filter(name="b.example").update(robots_state=RobotsState.ABSENT)
    lease_block(actor=ana, node_id=laptop.pk, slots=4)
    fetch.refresh_from_db()
    assert fetch.refused == 2 == fetch.answers.filter(state=AnswerState.REFUSED).count()
    another = fetches.create_fetch(actor=ana, urls=["http://d.example/1", "http://d.example/2"])
    add_opt_out(actor=ana, pattern="d.example", reason="asked")
    another.refresh_from_db()
    assert another.refused == 2 == another.answers.filter(state=AnswerState.REFUSED).count()


def test_a_refusal_that_is_taken_back_counts_no_more(ana: Person, laptop: Node) -> None:
    fetch = fetches.create_fetch(actor=ana, urls=["http://a.example/1"])
    add_opt_out(actor=ana, pattern="a.example", reason="asked")
    answer = fetch.answers.get()
    answer.node = laptop
    answer.save(update_fields=["node"])
    voiding.ask_again(answer=answer, reason="its rules were made up")
    fetch.refresh_from_db()
    assert fetch.refused == fetch.answers.filter(state=AnswerState.REFUSED).count()


def test_an_answer_from_elsewhere_says_where_from(ana: Person, laptop: Node) -> None:
    fetch, work = work_for(ana, laptop, "http://a.example/1")
    [(url, number)] = requests_of(work)
    send(ana, laptop, work, pair(url, number))
    answer = fetch.answers.get()
    abroad = register_node(actor=ana, name="desk", version="1", system="Linux", country="DE")
    assert (answer.country, abroad.country) == ("CL", "DE")
    voiding.replace_answer(answer=answer, capture=Capture.objects.get(), node=abroad, reason="wrong")
    assert fetch.counting_answers.get().country == "DE"
