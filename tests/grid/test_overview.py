"""What the grid's pages count: with each upload, by node and minute; and what limits us now."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from django.utils import timezone, translation

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive.queries import captures_of_host
from ronda.errors import Conflict, Forbidden
from ronda.frontier.ending import end_unwanted
from ronda.frontier.models import Host, Lease, Request, RobotsState
from ronda.frontier.waiting import Waiting
from ronda.grid import fetch_results, fetches, minutes, overview
from ronda.grid.answers import take_upload
from ronda.grid.leasing import Work, lease_block
from ronda.grid.minutes import Amount, Step
from ronda.grid.models import FetchState, MinuteCount, Node
from ronda.grid.overview import GridNow, Limit, limit_of
from ronda.grid.services import register_node
from ronda.grid.wording import outcome_rows, reason_in_words, verdict
from ronda_node.reasons import Reason
from tests.grid.test_uploads import failure, pair
from tests.people import person_with

NOW = datetime(2026, 3, 1, 12, 30, 20, tzinfo=UTC)
URLS = ["http://a.example/1", "http://a.example/2", "http://b.example/", "http://c.example/"]


@pytest.fixture
def contributor(db: None, own_archive: Path) -> Person:
    return person_with(Role.CONTRIBUTOR, Role.CLIENT)


@pytest.fixture
def node(contributor: Person) -> Node:
    return register_node(actor=contributor, name="laptop", version="1", system="Linux")


def lease(contributor: Person, node: Node) -> Work:
    Host.objects.update(
        robots_state=RobotsState.ABSENT,
        robots_expires_at=timezone.now() + timedelta(days=1),
        ready_at=timezone.now() - timedelta(seconds=1),
    )
    return lease_block(actor=contributor, node_id=node.pk, slots=4)


def answer(contributor: Person, node: Node, work: Work, **statuses: int) -> None:
    """Answer a block; `statuses` by the first letter of the host, 0 for a name that is not found."""
    body = b""
    for host in work.hosts:
        status = statuses.get(host.name[0], 200)
        for request in host.requests:
            head = f"HTTP/1.1 {status} Whatever\r\nContent-Type: text/html\r\n\r\nhello".encode()
            body += (
                pair(request.url, str(request.id), head)
                if status
                else failure(request.url, str(request.id), "too-many-headers")
            )
    take_upload(actor=contributor, node_id=node.pk, block=work.block, upload=BytesIO(body))


def test_uploads_are_counted_by_node_minute_and_outcome(contributor: Person, node: Node) -> None:
    fetches.create_fetch(actor=contributor, urls=URLS)
    Host.objects.filter(name="b.example").update(
        robots_state=RobotsState.RULES, robots_text="User-agent: *\nDisallow: /"
    )
    work = lease_block_with_rules(contributor, node)
    answer(contributor, node, work, a=404, c=0)
    counted = Counter({row.outcome: row.urls for row in MinuteCount.objects.all()})
    assert counted == {"4xx": 2, "too-many-headers": 1, "refused": 1}
    assert set(MinuteCount.objects.values_list("node_id", flat=True)) == {node.pk}
    assert MinuteCount.objects.get(outcome="4xx").size_bytes > 100
    assert overview.outcomes(actor=contributor) == counted
    assert minutes.urls_per_second() > 0
    assert (
        minutes.steps(minutes.PERIODS["hour"])[-1].urls + minutes.steps(minutes.PERIODS["hour"])[-2].urls == 4
    )


def lease_block_with_rules(contributor: Person, node: Node) -> Work:
    Host.objects.update(robots_expires_at=timezone.now() + timedelta(days=1))
    Host.objects.filter(robots_state=RobotsState.UNKNOWN).update(robots_state=RobotsState.ABSENT)
    return lease_block(actor=contributor, node_id=node.pk, slots=4)


@pytest.mark.django_db
def test_minutes_add_up_and_are_told_step_by_step() -> None:
    node, other = uuid.uuid4(), uuid.uuid4()
    for _ in range(2):
        minutes.count(node_id=node, amounts={"2xx": Amount(3, 100), "dns": Amount(1, 10)})
    minutes.count(node_id=node, amounts={})
    minutes.count(node_id=other, amounts={"refused": Amount(5)})
    assert MinuteCount.objects.count() == 3
    MinuteCount.objects.filter(node_id=node).update(minute=NOW.replace(second=0))
    MinuteCount.objects.filter(node_id=other).update(minute=NOW.replace(minute=29, second=0))
    steps = minutes.steps(minutes.PERIODS["hour"], now=NOW)
    assert len(steps) == 60
    assert steps[-1] == Step(NOW.replace(second=0), answered=6, failed=2, size_bytes=220)
    assert steps[-2] == Step(NOW.replace(minute=29, second=0), refused=5)
    assert sum(step.urls for step in steps) == 13
    mine = minutes.steps(minutes.PERIODS["day"], node_id=node, now=NOW)
    assert len(mine) == 72
    assert [step.urls for step in mine[-2:]] == [0, 8]
    assert len(minutes.steps(minutes.PERIODS["week"], now=NOW)) == 56
    assert minutes.urls_per_second(NOW) == pytest.approx(13 / (2 * 60 + 20))


@pytest.mark.django_db
def test_old_minutes_are_dropped() -> None:
    minutes.count(node_id=uuid.uuid4(), amounts={"2xx": Amount(1)})
    minutes.drop_old_minutes()
    assert MinuteCount.objects.exists()
    MinuteCount.objects.update(minute=timezone.now() - minutes.KEPT - timedelta(minutes=1))
    minutes.drop_old_minutes()
    assert not MinuteCount.objects.exists()


@pytest.mark.parametrize(
    ("queued", "due", "present", "idle", "expected"),
    [
        (0, 0, 3, 3, Limit.NOTHING),
        (9, 4, 0, 0, Limit.NO_NODES),
        (9, 4, 3, 0, Limit.NODES),
        (9, 4, 3, 1, Limit.HOSTS),
        (50_000, 666, 3, 1, Limit.NODES),
        (9, 0, 3, 0, Limit.HOSTS),
    ],
)
def test_what_limits_us(queued: int, due: int, present: int, idle: int, expected: Limit) -> None:
    waiting = Waiting(hosts=5, due=due, resting=0, queued=queued, ceiling=1234.5)
    assert limit_of(waiting, present, idle) is expected
    told = verdict(GridNow(waiting, present, idle, 0.25))
    assert told.title
    with translation.override("es"):
        spanish = verdict(GridNow(waiting, present, idle, 0.25))
    assert spanish.title != told.title
    if expected in (Limit.NODES, Limit.HOSTS):
        assert "0.25" in told.sentence
        assert "1,23" in told.sentence


def test_hosts_are_not_blamed_where_nodes_of_a_country_are_missing(contributor: Person, node: Node) -> None:
    Node.objects.update(country="DE")
    fetches.create_fetch(actor=contributor, urls=URLS, vantage=["CL"])
    now = overview.grid_now(actor=contributor)
    assert now.limit is Limit.OTHER_NODES
    assert "country or a person" in verdict(now).sentence
    fetches.create_fetch(actor=contributor, urls=["http://d.example/"])
    now = overview.grid_now(actor=contributor)
    assert now.limit is Limit.HOSTS
    assert "the others" not in verdict(now).sentence, "all of them are free"
    Request.objects.filter(country="").update(not_owners=[contributor.pk])
    assert overview.grid_now(actor=contributor).limit is Limit.OTHER_NODES
    Host.objects.filter(name="d.example").update(ready_at=timezone.now() + timedelta(minutes=1))
    now = overview.grid_now(actor=contributor)
    assert now.limit is Limit.HOSTS, "one of them keeps its delay"
    assert "country or a person" in verdict(now).sentence
    register_node(actor=contributor, name="tower", version="1", system="Linux", country="CL")
    assert overview.grid_now(actor=contributor).limit is Limit.HOSTS


def test_hosts_are_not_blamed_where_other_peoples_nodes_are_asked_first(
    contributor: Person, node: Node
) -> None:
    """This one has told what it knows of them: of their robots.txt, or that it cannot reach them."""
    fetches.create_fetch(actor=contributor, urls=URLS)
    other = register_node(
        actor=person_with(Role.CONTRIBUTOR, email="o@example.org"), name="o", version="1", system=""
    )
    soon = timezone.now() + timedelta(minutes=1)
    Node.objects.filter(pk=other.pk).update(resting_because="night")
    assert overview.grid_now(actor=contributor).limit is Limit.HOSTS
    Node.objects.filter(pk=other.pk).update(resting_because="")
    Lease.objects.create(
        block=other.pk, node=other.pk, owner=other.owner_id, host_id=0, request_ids=[],
        granted_at=timezone.now(), expires_at=soon,
    )  # fmt: skip
    for changes in (
        {"robots_tried": [node.pk], "robots_others_until": soon},
        {"avoided_nodes": [node.pk], "avoided_until": soon},
    ):
        Host.objects.update(**changes)
        assert overview.grid_now(actor=contributor).limit is Limit.OTHER_NODES
        Host.objects.update(robots_tried=[], avoided_nodes=[])
    assert overview.grid_now(actor=contributor).limit is Limit.HOSTS


def test_what_politeness_allows_is_not_said_beside_a_rate_above_it() -> None:
    """The rate is of the last minutes; since then all hosts with work went to rest."""
    now = GridNow(Waiting(hosts=3, due=0, resting=3, queued=9, ceiling=0.0), 1, 1, urls_per_second=2.5)
    assert "2.5 URLs/s; the hosts that still have work allow less" in verdict(now).sentence
    assert "at most" not in verdict(now).sentence
    faster = replace(now, waiting=replace(now.waiting, ceiling=3.0))
    assert "at most 3" in verdict(faster).sentence


def test_grid_now_knows_idle_nodes(contributor: Person, node: Node) -> None:
    register_node(actor=contributor, name="tablet", version="1", system="")
    gone = register_node(actor=contributor, name="gone", version="1", system="")
    Node.objects.filter(pk=gone.pk).update(seen_at=timezone.now() - timedelta(hours=1))
    fetches.create_fetch(actor=contributor, urls=URLS)
    lease(contributor, node)
    now = overview.grid_now(actor=contributor)
    assert (now.nodes_present, now.nodes_idle, now.waiting.queued) == (2, 1, 4)
    rows = {row.node.name: row for row in overview.nodes_now(actor=contributor, most=5)}
    assert rows["laptop"].hosts_held == 3
    Lease.objects.update(expires_at=timezone.now())
    assert overview.grid_now(actor=contributor).nodes_idle == 2
    stranger = person_with(Role.CONTRIBUTOR, email="s@example.org")
    assert overview.nodes_now(actor=stranger, most=5) == []
    director = person_with(Role.DIRECTOR, email="d@example.org")
    assert len(overview.nodes_now(actor=director, most=5)) == 3
    with pytest.raises(Forbidden):
        overview.grid_now(actor=person_with(Role.READER, email="r@example.org"))


def test_results_are_filtered_and_summed_up(contributor: Person, node: Node) -> None:
    made = fetches.create_fetch(actor=contributor, urls=[*URLS, "ftp://x/"])
    answer(contributor, node, lease(contributor, node), b=500, c=0)
    made = fetches.fetch(actor=contributor, fetch_id=made.pk)
    assert made.state is FetchState.DONE
    found = fetch_results.summary(made)
    assert [(row.name, row.urls) for row in found.outcomes] == [
        ("2xx", 2), ("5xx", 1), ("failed", 1), ("refused", 1),
    ]  # fmt: skip
    assert (found.hosts[0].name, found.hosts[0].urls) == ("a.example", 2)
    assert {row.name for row in found.reasons} >= {"too-many-headers"}

    def urls(**wanted: str) -> list[str]:
        rows = fetch_results.results(actor=contributor, fetch_id=made.pk, **wanted)
        return sorted(row.url for row in rows)

    assert urls(outcome="2xx") == URLS[:2]
    assert urls(outcome="failed") == ["http://c.example/"]
    assert urls(host="b.example") == ["http://b.example/"]
    assert urls(outcome="5xx", host="a.example") == []
    assert urls(reason="too-many-headers") == ["http://c.example/"]
    assert [capture.url for capture in captures_of_host("a.example")] == URLS[1::-1]
    with pytest.raises(Conflict):
        fetches.cancel_fetch(actor=contributor, fetch_id=made.pk)


def test_cancelled_fetch_tells_every_url(contributor: Person, node: Node) -> None:
    made = fetches.create_fetch(
        actor=contributor, urls=[*URLS, *(f"http://d.example/{n}" for n in range(99))]
    )
    work = lease(contributor, node)
    at_hand = {request.url for host in work.hosts for request in host.requests}
    cancelled = fetches.cancel_fetch(actor=contributor, fetch_id=made.pk)
    assert cancelled.state is FetchState.CANCELLING
    assert cancelled.batch.ended == cancelled.batch.total - len(at_hand)
    answer(contributor, node, work)
    cancelled = fetches.cancel_fetch(actor=contributor, fetch_id=made.pk)
    assert cancelled.state is FetchState.CANCELLED
    told = {row.url: row.state for row in fetches.answers(actor=contributor, fetch_id=made.pk)}
    assert len(told) == cancelled.batch.total
    assert {url for url, state in told.items() if state == "fetched"} == at_hand
    assert set(told.values()) == {"fetched", "cancelled"}
    end_unwanted()
    assert fetches.answers(actor=contributor, fetch_id=made.pk).count() == cancelled.batch.total


def test_nobody_cancels_for_others(contributor: Person) -> None:
    from ronda.grid.errors import NoSuchFetch

    made = fetches.create_fetch(actor=contributor, urls=URLS)
    with pytest.raises(NoSuchFetch):
        fetches.cancel_fetch(actor=person_with(Role.CLIENT, email="x@example.org"), fetch_id=made.pk)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_words_in_both_languages(reason: Reason) -> None:
    english = reason_in_words(reason)
    assert english != reason
    with translation.override("es"):
        assert reason_in_words(reason) != english
        assert reason_in_words("refused by robots.txt: Disallow: /x").endswith(": Disallow: /x")
        assert reason_in_words("something new") == "something new"


def test_outcomes_in_order() -> None:
    rows = outcome_rows(Counter({"dns": 5, "tls": 10, "2xx": 84, "refused": 1}))
    assert [row.kind for row in rows] == ["2xx", "3xx", "4xx", "5xx", "refused", "failed", "failed"]
    assert [row.urls for row in rows] == [84, 0, 0, 0, 1, 10, 5]
    assert rows[0].percent == 84
