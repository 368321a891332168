"""The same URLs from several countries: fetched there, compared, and never waited for for ever."""

from __future__ import annotations

import threading
from datetime import timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import InvalidInput
from ronda.frontier.models import Host, IpGroup, Request, RobotsState
from ronda.grid import answers, comparisons, fetches
from ronda.grid.comparing import Outcome
from ronda.grid.leasing import Work, lease_block
from ronda.grid.models import Comparison, Fetch, Node
from ronda.grid.services import register_node
from ronda.grid.vantage import end_unreachable, vantage_summary
from ronda.jobs.models import Job
from ronda.jobs.services import run
from ronda.policies.services import change_setting
from tests.grid.test_uploads import pair, requests_of
from tests.grid.warc_bodies import address_of
from tests.people import person_with

pytestmark = pytest.mark.django_db

PAGE = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The harbour is open today. It is {clock}.</p>"
BLOCKED = "HTTP/1.1 451 No\r\nContent-Type: text/html\r\n\r\n<p>Not here.</p>"


@pytest.fixture
def client(own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


def node_in(person: Person, country: str) -> Node:
    return register_node(actor=person, name=f"in {country}", version="1", system="", country=country)


def work_of(person: Person, node: Node) -> Work:
    Host.objects.update(
        robots_state=RobotsState.ABSENT,
        robots_expires_at=timezone.now() + timedelta(days=1),
        ready_at=timezone.now() - timedelta(seconds=1),
    )
    return lease_block(actor=person, node_id=node.pk, slots=4)


def send(person: Person, node: Node, work: Work, page: str) -> int:
    body = b"".join(pair(url, number, page.encode()) for url, number in requests_of(work))
    taken = answers.take_upload(actor=person, node_id=node.pk, block=work.block, upload=BytesIO(body))
    return taken.accepted


def run_comparisons() -> None:
    comparisons.start_comparisons()
    for job in Job.objects.filter(kind="compare_vantages"):
        run(job_id=job.pk, worker="test", stopping=threading.Event())


@pytest.mark.parametrize(
    ("from_chile", "from_germany", "outcome"),
    [
        (PAGE.format(clock="12:00"), PAGE.format(clock="18:30"), Outcome.MATCH),
        (BLOCKED, PAGE.format(clock="12:00"), Outcome.DIFFER),
    ],
    ids=["clock", "blocked"],
)
def test_url_is_fetched_from_each_country_and_compared(
    client: Person, from_chile: str, from_germany: str, outcome: Outcome
) -> None:
    made = fetches.create_fetch(
        actor=client, urls=["http://a.example/1", "http://a.example/2"], vantage=["CL", "DE", "CL"]
    )
    assert made.batch.total == 4
    for country, page in (("CL", from_chile), ("DE", from_germany)):
        node = node_in(client, country)
        assert send(client, node, work_of(client, node), page) == 2
    found = fetches.answers(actor=client, fetch_id=made.pk)
    assert sorted((a.url[-1], a.country) for a in found) == [
        ("1", "CL"),
        ("1", "DE"),
        ("2", "CL"),
        ("2", "DE"),
    ]
    made = fetches.fetch(actor=client, fetch_id=made.pk)
    assert made.is_done
    before = vantage_summary(made)
    assert before
    assert not before.is_compared
    run_comparisons()
    run_comparisons()
    after = vantage_summary(fetches.fetch(actor=client, fetch_id=made.pk))
    assert after
    assert (after.countries, after.is_compared) == (["CL", "DE"], True)
    assert {"match": after.match, "differ": after.differ, "inconclusive": after.inconclusive} == {
        "match": 0, "differ": 0, "inconclusive": 0, outcome.value: 2,
    }  # fmt: skip
    assert not Fetch.objects.filter(is_to_be_compared=True).exists()


def test_compared_by_what_they_say(client: Person) -> None:
    made = fetches.create_fetch(
        actor=client, urls=["http://a.example/1", "http://b.example/"], vantage=["CL", "DE"]
    )
    chile, germany = node_in(client, "CL"), node_in(client, "DE")
    send(client, chile, work_of(client, chile), PAGE.format(clock="12:00"))
    work = work_of(client, germany)
    body = b"".join(
        pair(url, number, (PAGE.format(clock="18:30") if "a.example" in url else BLOCKED).encode())
        for url, number in requests_of(work)
    )
    answers.take_upload(actor=client, node_id=germany.pk, block=work.block, upload=BytesIO(body))
    by_url = {}
    for url in ("http://a.example/1", "http://b.example/"):
        of_url = fetches.answers(actor=client, fetch_id=made.pk).filter(url=url)
        by_url[url] = comparisons.compare_all(list(of_url))
    assert by_url["http://a.example/1"].outcome == Outcome.MATCH
    assert by_url["http://b.example/"].outcome == Outcome.DIFFER


def test_country_without_a_node_is_given_up_after_a_while(client: Person) -> None:
    made = fetches.create_fetch(actor=client, urls=["http://a.example/1"], vantage=["CL", "DE"])
    germany = node_in(client, "DE")
    end_unreachable()
    assert Request.objects.count() == 2, "it may still come"
    Request.objects.update(not_before=timezone.now() - timedelta(seconds=121))
    end_unreachable()
    [left] = Request.objects.all()
    assert left.country == "DE"
    [answer] = fetches.answers(actor=client, fetch_id=made.pk)
    assert (answer.country, answer.state, answer.reason) == ("CL", "failed", "no node in CL")
    send(client, germany, work_of(client, germany), PAGE)
    made = fetches.fetch(actor=client, fetch_id=made.pk)
    assert made.is_done
    assert comparisons.compare_all(list(made.answers.all())).outcome == Outcome.INCONCLUSIVE


def test_node_that_is_gone_and_comes_back_after_all_is_heard_in_peace(client: Person) -> None:
    fetches.create_fetch(actor=client, urls=["http://a.example/1", "http://a.example/2"], vantage=["CL"])
    chile = node_in(client, "CL")
    work = work_of(client, chile)
    Node.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    Request.objects.filter(url__endswith="1").update(not_before=timezone.now() - timedelta(minutes=5))
    end_unreachable()
    assert Request.objects.count() == 1
    assert send(client, chile, work, PAGE) == 1


@pytest.mark.parametrize("vantage", [["XX"], ["cl"], ["CL", ""], ["CHL"]])
def test_what_is_no_country_is_refused(client: Person, vantage: list[str]) -> None:
    with pytest.raises(InvalidInput, match="no country"):
        fetches.create_fetch(actor=client, urls=["http://a.example/"], vantage=vantage)
    assert not Fetch.objects.exists()


def test_too_much_is_refused(client: Person) -> None:
    with pytest.raises(InvalidInput, match="100,000"):
        fetches.create_fetch(actor=client, urls=["http://a.example/"] * 60_000, vantage=["CL", "DE"])


def test_archive_does_not_answer_for_a_country(client: Person) -> None:
    first = fetches.create_fetch(actor=client, urls=["http://a.example/1"])
    node = node_in(client, "CL")
    send(client, node, work_of(client, node), PAGE)
    assert fetches.fetch(actor=client, fetch_id=first.pk).is_done
    again = fetches.create_fetch(
        actor=client, urls=["http://a.example/1"], vantage=["DE"], max_age_seconds=3600
    )
    assert not again.is_done


def test_node_is_where_it_speaks_from_or_where_it_says(client: Person) -> None:
    def registered(country: str | None, address: str) -> str:
        node = register_node(
            actor=client, name="laptop", version="1", system="", country=country, address=address
        )
        return node.country

    assert registered(None, "127.0.0.1") == ""
    assert registered(None, "200.7.6.1") == "CL"
    assert registered("TV", "200.7.6.1") == "CL", "its word does not make it alone in a country"
    assert registered(None, "127.0.0.1") == "CL"
    assert registered("DE", "127.0.0.1") == "DE"
    with pytest.raises(InvalidInput):
        registered("ZZ", "")


def test_addresses_of_answers_are_noted(client: Person) -> None:
    urls = ["http://a.example/", "http://b.example/"]
    fetches.create_fetch(actor=client, urls=urls)
    node = node_in(client, "CL")
    send(client, node, work_of(client, node), PAGE)
    assert {host.address for host in Host.objects.all()} == {address_of(url) for url in urls}
    assert not IpGroup.objects.exists(), "each has its own"
    node.refresh_from_db()
    assert node.rate_urls_per_second


def test_strategy_is_chosen_by_the_client_or_the_settings(client: Person) -> None:
    made = fetches.create_fetch(actor=client, urls=["http://a.example/"], strategy="nearest")
    assert made.batch.strategy == "nearest"
    director = person_with(Role.DIRECTOR, email="director@example.org")
    change_setting(actor=director, name="strategy", value="equal")
    assert fetches.create_fetch(actor=client, urls=["http://a.example/"]).batch.strategy == "equal"
    with pytest.raises(InvalidInput):
        fetches.create_fetch(actor=client, urls=["http://a.example/"], strategy="random")
    assert not Comparison.objects.exists()


def test_idle_node_is_told_when_the_next_host_is_free(client: Person) -> None:
    node = node_in(client, "CL")
    idle = lease_block(actor=client, node_id=node.pk, slots=4)
    assert 2.5 <= idle.come_back_seconds <= 7.5
    fetches.create_fetch(actor=client, urls=["http://a.example/"])
    Host.objects.update(ready_at=timezone.now() + timedelta(seconds=2))
    soon = lease_block(actor=client, node_id=node.pk, slots=4)
    assert 0.2 <= soon.come_back_seconds <= 3
    Host.objects.update(ready_at=timezone.now() + timedelta(hours=2))
    assert 2.5 <= lease_block(actor=client, node_id=node.pk, slots=4).come_back_seconds <= 7.5


def test_block_is_about_ten_seconds_of_work(client: Person) -> None:
    from ronda.grid.block_size import block_size

    node = node_in(client, "CL")
    assert block_size(node, 16, 120).urls == 128
    for rate, urls in ((0.1, 16), (5.0, 50), (1000.0, 200)):
        node.rate_urls_per_second = rate
        assert block_size(node, 16, 120).urls == urls


def test_near_the_end_nodes_share_the_hosts_that_are_left(client: Person) -> None:
    first, second = node_in(client, "CL"), node_in(client, "DE")
    fetches.create_fetch(actor=client, urls=[f"http://h{n}.example/" for n in range(40)])
    assert len(lease_block(actor=client, node_id=first.pk, slots=4).hosts) == 20
    assert len(lease_block(actor=client, node_id=second.pk, slots=4).hosts) == 10, (
        "half of those nobody holds"
    )
    Node.objects.filter(pk=second.pk).update(paused_at=timezone.now())
    assert len(lease_block(actor=client, node_id=first.pk, slots=4).hosts) == 10, "alone, it may have all"
