"""The queue and the gate: a URL once a batch, a host to one node at a time, nothing lost, nothing answered twice."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from ronda.frontier import glances, leases, services
from ronda.frontier.blocks import (
    BlockSize,
    Claimant,
    Completion,
    EndedRequest,
    HostReport,
    Known,
    LeasedHost,
    Retry,
    Wanted,
)
from ronda.frontier.models import Batch, Host, IpGroup, Lease, Request, RobotsState
from ronda.frontier.politeness import Pace

NODE, OTHER = uuid.uuid4(), uuid.uuid4()
SIZE = BlockSize(hosts=50, urls=200, lease_seconds=60, guard_seconds=10, busy_seconds=10)
PACE = Pace(floor_seconds=1, cap_seconds=120, latency_factor=5)

pytestmark = pytest.mark.django_db


def put(*urls: str, owner: str = "o", priority: int = 0) -> Batch:
    batch = services.open_batch(purpose="test", owner=owner, priority=priority)
    services.put_requests(batch=batch, wanted=[Wanted(url, url.split("/")[2], "http") for url in urls])
    Host.objects.filter(robots_state=RobotsState.UNKNOWN).update(
        robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1)
    )
    return batch


def claim(
    node: uuid.UUID = NODE,
    size: BlockSize = SIZE,
    pace: Pace = PACE,
    *,
    owner: int = 1,
    country: str = "",
    is_trusted: bool = False,
) -> tuple[uuid.UUID, list[LeasedHost]]:
    block = uuid.uuid4()
    claimant = Claimant(node, owner, country, is_trusted=is_trusted)
    return block, leases.claim(claimant=claimant, block=block, size=size, pace=pace, hosts_per_address=1)


def complete(
    block: uuid.UUID,
    hosts: list[LeasedHost],
    *,
    node: uuid.UUID = NODE,
    retry: dict[int, float] | None = None,
    backoff_seconds: float | None = None,
) -> list[EndedRequest]:
    ids = [request.id for host in hosts for request in host.requests if request.id is not None]
    retries = [Retry(number, seconds) for number, seconds in (retry or {}).items()]
    return leases.complete(
        completion=Completion(
            node=node,
            block=block,
            done=[number for number in ids if number not in (retry or {})],
            retries=retries,
            hosts=[HostReport(host.host_id, host.delay_seconds, 0.1, backoff_seconds) for host in hosts],
        )
    )


def urls_of(hosts: list[LeasedHost]) -> list[str]:
    return [request.url for host in hosts for request in host.requests]


def make_due(*names: str) -> None:
    """As if the time had passed."""
    past = timezone.now() - timedelta(seconds=1)
    Host.objects.filter(name__in=names).update(ready_at=past, backoff_until=None)


def test_url_is_queued_once_a_batch_even_after_its_answer() -> None:
    batch = put("http://a.example/1", "http://a.example/2", "http://a.example/1")
    assert Request.objects.count() == 2
    complete(*claim())
    put("http://a.example/1", "http://a.example/3")
    assert [r.url for r in Request.objects.all()] == ["http://a.example/3"]
    put("http://a.example/1", owner="another")
    assert Request.objects.count() == 2
    batch.refresh_from_db()
    assert (batch.total, batch.ended) == (3, 2)
    assert Host.objects.get().queued == 2


def test_held_host_is_given_to_nobody_else() -> None:
    put(*(f"http://a.example/{n}" for n in range(20)), "http://b.example/")
    _, first = claim()
    assert sorted(urls_of(first)) == sorted(
        [*(f"http://a.example/{n}" for n in range(10)), "http://b.example/"]
    )
    put("http://a.example/new", "http://c.example/")
    _, second = claim(OTHER)
    assert urls_of(second) == ["http://c.example/"]


def test_delay_holds_from_the_end_of_the_block() -> None:
    put(*(f"http://a.example/{n}" for n in range(20)))
    block, hosts = claim()
    before = timezone.now()
    complete(block, hosts)
    assert claim()[1] == []
    host = Host.objects.get()
    assert host.ready_at >= before + timedelta(seconds=1)
    assert (host.holders, host.queued, host.has_work) == (0, 10, True)
    make_due("a.example")
    assert len(urls_of(claim()[1])) == 10


@pytest.mark.parametrize(
    ("crawl_delay", "latency", "by_hand", "max_nodes", "is_per_node", "expected"),
    [
        (None, None, None, 1, False, 1),
        (7, None, None, 1, False, 7),
        (None, 3, None, 1, False, 15),
        (500, None, None, 1, False, 120),
        (7, 3, 0.5, 1, False, 0.5),
        (7, None, None, 3, False, 7),
        (7, None, None, 3, True, 7),
    ],
)
def test_delay_is_the_largest_of_what_anybody_asks_for(
    crawl_delay: float | None,
    latency: float | None,
    by_hand: float | None,
    max_nodes: int,
    is_per_node: bool,
    expected: float,
) -> None:
    put("http://a.example/")
    Host.objects.update(
        crawl_delay_seconds=crawl_delay,
        latency_seconds=latency,
        delay_seconds=by_hand,
        max_nodes=max_nodes,
        is_delay_per_node=is_per_node,
    )
    assert claim()[1][0].delay_seconds == pytest.approx(expected)


def test_many_hosts_are_asked_a_little_before_few_are_asked_much() -> None:
    put(*(f"http://h{host}.example/{n}" for host in range(40) for n in range(20)))
    _, hosts = claim()
    assert {len(host.requests) for host in hosts} == {5}
    assert len(hosts) == 40


def test_slow_host_gets_fewer_urls_a_block() -> None:
    put(*(f"http://a.example/{n}" for n in range(20)))
    Host.objects.update(crawl_delay_seconds=4)
    assert len(urls_of(claim()[1])) == 2


def test_two_nodes_on_one_host_never_get_the_same_url() -> None:
    put(*(f"http://a.example/{n}" for n in range(20)))
    Host.objects.update(max_nodes=2, is_delay_per_node=True)
    _, first = claim()
    make_due("a.example")
    _, second = claim(OTHER)
    make_due("a.example")
    assert len({*urls_of(first), *urls_of(second)}) == len(urls_of(first)) + len(urls_of(second)) == 20
    assert Host.objects.get().holders == 2


@pytest.mark.parametrize(("delay_seconds", "more"), [(0, 5), (0.001, 0), (None, 0)])
def test_node_goes_on_with_a_host_while_its_answers_are_taken_in_where_no_delay_is_wanted(
    delay_seconds: float | None, more: int
) -> None:
    put(*(f"http://a.example/{n}" for n in range(15)))
    Host.objects.update(max_nodes=3, is_delay_per_node=True, delay_seconds=delay_seconds)
    size = replace(SIZE, urls=5)
    block, first = claim(size=size)
    make_due("a.example")
    assert not glances.has_free_work(NODE), "it asks this host already"
    assert glances.has_free_work(OTHER)
    assert claim(size=size)[1] == []
    leases.note_brought(node=NODE, block=block)
    make_due("a.example")
    assert glances.has_free_work(NODE) is bool(more)
    second_block, second = claim(size=size)
    assert len(urls_of(second)) == more
    assert not {*urls_of(first)} & {*urls_of(second)}
    make_due("a.example")
    assert claim(size=size)[1] == [], "once at a time"
    assert len(complete(block, first)) == 5
    assert Host.objects.get().holders == len(second)
    assert len(complete(second_block, second)) == more


def test_robots_come_first() -> None:
    batch = services.open_batch(purpose="test", owner="o")
    services.put_requests(batch=batch, wanted=[Wanted("http://a.example:8080/x", "a.example:8080", "http")])
    block, [host] = claim()
    assert host.is_robots
    assert [(r.id, r.url) for r in host.requests] == [(None, "http://a.example:8080/robots.txt")]
    assert claim(OTHER)[1] == []
    assert complete(block, [host]) == []
    Host.objects.update(robots_expires_at=timezone.now() + timedelta(days=1))
    make_due("a.example:8080")
    assert urls_of(claim()[1]) == ["http://a.example:8080/x"]


def test_back_off_is_a_clock_of_its_own() -> None:
    put(*(f"http://a.example/{n}" for n in range(20)))
    block, hosts = claim()
    complete(block, hosts, backoff_seconds=60)
    Host.objects.update(ready_at=timezone.now() - timedelta(hours=1))
    assert claim()[1] == []
    host = Host.objects.get()
    assert (host.backoff_count, host.due_at) == (1, host.backoff_until)
    Host.objects.update(backoff_until=timezone.now() - timedelta(seconds=1))
    assert claim()[1]


def test_request_put_off_waits_for_its_own_time() -> None:
    put("http://a.example/")
    block, hosts = claim()
    number = hosts[0].requests[0].id
    assert number is not None
    assert complete(block, hosts, retry={number: 600}) == []
    make_due("a.example")
    assert claim()[1] == []
    host = Host.objects.get()
    assert host.ready_at > timezone.now() + timedelta(minutes=9)
    assert host.has_work
    Request.objects.update(not_before=timezone.now())
    make_due("a.example")
    _, again = claim()
    assert again[0].requests[0].attempts == 1


def test_silent_node_loses_its_host_after_the_guard_time_and_its_late_answer_still_counts_once() -> None:
    put("http://a.example/1", "http://a.example/2")
    block, hosts = claim()
    lease = Lease.objects.get()
    assert Host.objects.get().ready_at == lease.expires_at + timedelta(seconds=SIZE.guard_seconds)
    Lease.objects.update(expires_at=F("expires_at") - timedelta(minutes=5))
    make_due("a.example")
    other_block, other_hosts = claim(OTHER)
    assert urls_of(other_hosts) == urls_of(hosts)
    assert [r.attempts for r in other_hosts[0].requests] == [1, 1]

    held = Host.objects.get()
    late = complete(block, hosts)
    assert len(late) == 2, "a valid answer is an answer, however late"
    after = Host.objects.get()
    assert (after.holders, after.ready_at) == (held.holders, held.ready_at), (
        "but it frees nobody else's lease"
    )
    assert complete(other_block, other_hosts, node=OTHER) == [], "and a second answer does not count"
    assert Host.objects.get().holders == 0


def test_somebody_elses_block_cannot_be_completed() -> None:
    put("http://a.example/1")
    block, hosts = claim()
    leases.complete(
        completion=Completion(OTHER, block, done=[], retries=[], hosts=[HostReport(hosts[0].host_id, 0)])
    )
    assert Lease.objects.count() == 1
    assert Host.objects.get().holders == 1


def test_hosts_behind_one_address_take_turns() -> None:
    put("http://a.example/", "http://b.example/", "http://c.example/")
    group = IpGroup.objects.create(address="192.0.2.1")
    Host.objects.filter(name__in=["a.example", "b.example"]).update(ip_group=group)
    block, hosts = claim()
    assert len(hosts) == 2
    shared = [host for host in hosts if host.name != "c.example"]
    assert len(shared) == 1
    waiting = {"a.example", "b.example"} - {shared[0].name}
    make_due(*waiting)
    assert claim(OTHER)[1] == []
    complete(block, hosts)
    make_due(*waiting)
    assert {host.name for host in claim(OTHER)[1]} == waiting


def test_blocked_host_is_left_alone() -> None:
    put("http://a.example/")
    Host.objects.update(blocked_reason="its owner asked us to stay away")
    assert claim()[1] == []


def test_urgent_requests_of_a_host_come_first() -> None:
    put(*(f"http://a.example/slow/{n}" for n in range(10)), priority=5)
    put("http://a.example/now", owner="urgent", priority=-5)
    assert urls_of(claim()[1])[0] == "http://a.example/now"


@pytest.mark.django_db(transaction=True)
def test_many_at_once_lose_nothing_and_break_no_gate() -> None:
    """Threads that queue, claim and complete at the same time, each with its own connection."""
    total, workers = 1500, 6
    answered: Counter[str] = Counter()
    holding: Counter[int] = Counter()
    violations: list[int] = []
    lock = threading.Lock()
    everything = [f"http://h{n % 37}.example/{n}" for n in range(total)]

    def feed(part: list[str]) -> None:
        for start in range(0, len(part), 50):
            batch = services.open_batch(purpose="test", owner="o")
            chunk = part[start : start + 50]
            services.put_requests(batch=batch, wanted=[Wanted(u, u.split("/")[2], "http") for u in chunk])
        connection.close()

    def fetch() -> None:
        node, idle = uuid.uuid4(), 0
        while idle < 200 and sum(answered.values()) < total:
            block, hosts = claim(node, BlockSize(5, 25, 60, 0, 1000), Pace(0, 0, 0))
            idle = 0 if hosts else idle + 1
            with lock:
                for host in hosts:
                    holding[host.host_id] += 1
                    if holding[host.host_id] > 1:
                        violations.append(host.host_id)
            time.sleep(0.002)  # long enough for another to be given the same host, if the gate let it
            with lock:
                holding.subtract([host.host_id for host in hosts])
            ended = complete(block, hosts, node=node)
            with lock:
                answered.update(request.url for request in ended)
        connection.close()

    for name in {url.split("/")[2] for url in everything}:
        Host.objects.create(name=name, robots_expires_at=timezone.now() + timedelta(days=1))
    threads = [threading.Thread(target=feed, args=[everything[n::2]]) for n in range(2)]
    threads += [threading.Thread(target=fetch) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not violations
    assert len(answered) == total
    assert set(answered.values()) == {1}
    assert not Request.objects.exists()
    assert not Lease.objects.exists()
    assert not Host.objects.exclude(queued=0, has_work=False, holders=0).exists()


def test_the_same_url_from_two_countries_goes_to_nodes_there() -> None:
    batch = put()
    host, url = "a.example", "http://a.example/1"
    wanted = [Wanted(url, host, "http", copy=country, country=country) for country in ("CL", "DE")]
    assert services.put_requests(batch=batch, wanted=[*wanted, *wanted]) == 2
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    assert claim(country="FR")[1] == []
    make_due("a.example")
    block, hosts = claim(country="DE")
    assert urls_of(hosts) == [url]
    assert [ended.copy for ended in complete(block, hosts)] == ["DE"]


def test_a_request_is_kept_from_people_who_must_not_fetch_it() -> None:
    batch = put()
    wanted = [Wanted("http://a.example/1", "a.example", "http", copy="second", not_owners=(1, 2))]
    services.put_requests(batch=batch, wanted=wanted)
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    for owner in (1, 2):
        assert claim(owner=owner)[1] == []
        make_due("a.example")
    assert urls_of(claim(owner=3)[1]) == ["http://a.example/1"]


def test_some_requests_are_for_trusted_nodes_and_only_they_are_told_what_is_known() -> None:
    batch = put("http://a.example/anybody")
    known = Known(7, "sha256:00", 'W/"\0 "', "yesterday")
    secret = Wanted("http://a.example/trusted", "a.example", "http", is_for_trusted=True, known=known)
    # A long queue of what is not theirs keeps nobody from what is.
    others = [
        Wanted(f"http://b{n}.example/", f"b{n}.example", "http", is_for_trusted=True) for n in range(60)
    ]
    services.put_requests(batch=batch, wanted=[secret, *others])
    put("http://z.example/known")
    Request.objects.filter(url="http://z.example/known").update(
        known={"capture_id": 8, "digest": "sha256:11"}
    )
    found: list[LeasedHost] = []
    while hosts := claim(size=replace(SIZE, hosts=20))[1]:
        found += hosts
    assert set(urls_of(found)) == {"http://a.example/anybody", "http://z.example/known"}
    assert all(request.known is None for host in found for request in host.requests)
    assert not Lease.objects.filter(is_trusted=True).exists()
    Lease.objects.all().delete()
    Host.objects.update(holders=0, ready_at=timezone.now() - timedelta(seconds=1))
    _, hosts = claim(OTHER, size=replace(SIZE, hosts=100), is_trusted=True)
    told = {request.url: request.known for host in hosts for request in host.requests}
    assert len(told) == 63, "and all that is for anybody"
    assert told["http://a.example/trusted"] == replace(known, etag='W/" "')
    assert told["http://z.example/known"] == Known(8, "sha256:11")
    assert Lease.objects.filter(is_trusted=True).count() == len(hosts)


def test_delay_over_all_nodes_is_kept_by_one_at_a_time() -> None:
    """However many may hold it: two who fetch at their own pace would be faster together."""
    put(*(f"http://a.example/{n}" for n in range(20)))
    Host.objects.update(max_nodes=2)
    before = timezone.now()
    block, first = claim()
    assert first
    assert Host.objects.get().ready_at > before + timedelta(seconds=60), "as long as the lease"
    complete(block, first)
    assert claim(OTHER)[1] == [], "the delay counts from the end of somebody else's fetch"
    make_due("a.example")
    assert claim(OTHER)[1]


def test_urls_of_several_batches_are_queued_together() -> None:
    """Each batch takes a URL once, whichever others have it; more urgent ones of a host go first."""
    later = services.open_batch(purpose="test", owner="later", priority=1)
    first = services.open_batch(purpose="test", owner="first")
    urls = ["http://b.example/1", "http://a.example/1", "http://b.example/2"]
    wanted = [(batch, Wanted(url, url.split("/")[2], "http")) for batch in (later, first) for url in urls]
    once_more = (first, Wanted("http://a.example/2", "a.example", "http"))
    assert services.put_all(wanted) == 6
    assert services.put_all([*wanted, once_more]) == 1
    assert dict(Batch.objects.values_list("owner", "total")) == {"later": 3, "first": 4}
    assert dict(Host.objects.values_list("name", "queued")) == {"a.example": 3, "b.example": 4}
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))
    _, hosts = claim(size=replace(SIZE, busy_seconds=2))
    given = Request.objects.in_bulk([one.id for host in hosts for one in host.requests if one.id])
    assert {request.batch_id for request in given.values()} == {first.pk}
