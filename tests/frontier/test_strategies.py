"""Strategies: who is preferred, and that whoever is not gets the work all the same when nobody comes for it."""

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
from ronda.frontier.blocks import BlockSize, Claimant, Completion, HostReport, LeasedHost, Wanted
from ronda.frontier.models import Batch, Host, IpGroup, Lease, Reach, Request, RobotsState, Share
from ronda.frontier.politeness import Pace
from ronda.frontier.strategies import Preference, Strategy

SIZE = BlockSize(hosts=50, urls=200, lease_seconds=60, guard_seconds=10, busy_seconds=10)
PACE = Pace(floor_seconds=0, cap_seconds=120, latency_factor=0)
CHILE = Claimant(uuid.uuid4(), 1, "CL", "SA")
PERU = Claimant(uuid.uuid4(), 2, "PE", "SA")
GERMANY = Claimant(uuid.uuid4(), 3, "DE", "EU")
NOWHERE = Claimant(uuid.uuid4(), 4)

pytestmark = pytest.mark.django_db


def put(*urls: str, strategy: Strategy = Strategy.LEAST_BUSY, owner: str = "") -> Batch:
    batch = services.open_batch(purpose="test", owner=owner or strategy, strategy=strategy)
    services.put_requests(batch=batch, wanted=[Wanted(url, url.split("/")[2], "http") for url in urls])
    know_robots()
    return batch


def know_robots() -> None:
    Host.objects.update(robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1))


def among(*present: Claimant, explored_share: float = 0.0) -> Preference:
    return Preference(
        nodes=tuple(one.node for one in present),
        countries=tuple({one.country for one in present}),
        continents=tuple({one.continent for one in present if one.continent}),
        # Long enough that no slow machine makes it pass by itself.
        head_start_seconds=1000,
        explored_share=explored_share,
    )


def ask(
    claimant: Claimant, preference: Preference, size: BlockSize = SIZE, *, is_copying: bool = False
) -> list[LeasedHost]:
    return leases.claim(
        claimant=claimant,
        block=uuid.uuid5(uuid.NAMESPACE_OID, str(claimant.node)),
        size=size,
        pace=PACE,
        hosts_per_address=2,
        preference=preference,
        is_copying=is_copying,
    )


def answer(claimant: Claimant, hosts: list[LeasedHost], latency_seconds: float = 0.1) -> int:
    ended = leases.complete(
        completion=Completion(
            node=claimant.node,
            block=uuid.uuid5(uuid.NAMESPACE_OID, str(claimant.node)),
            done=[request.id for host in hosts for request in host.requests if request.id is not None],
            retries=[],
            hosts=[HostReport(host.host_id, 0.0, latency_seconds) for host in hosts],
            country=claimant.country,
        )
    )
    return len(ended)


def count(hosts: list[LeasedHost]) -> int:
    return sum(len(host.requests) for host in hosts)


def let_pass(seconds: float) -> None:
    """As if the time had passed."""
    ago = timedelta(seconds=seconds)
    Host.objects.update(ready_at=F("ready_at") - ago, waiting_since=F("waiting_since") - ago)


class TestNearest:
    def test_same_country_first_then_the_continent_then_anybody(self) -> None:
        put("http://a.example/1", strategy=Strategy.NEAREST)
        Host.objects.update(country="CL", continent="SA")
        everybody = among(CHILE, PERU, GERMANY)
        assert ask(GERMANY, everybody) == []
        assert ask(PERU, everybody) == []
        let_pass(600)
        assert ask(GERMANY, everybody) == []
        assert count(ask(PERU, everybody)) == 1

    def test_nobody_starves_however_often_others_ask(self) -> None:
        put("http://a.example/1", strategy=Strategy.NEAREST)
        Host.objects.update(country="CL", continent="SA")
        everybody = among(CHILE, PERU, GERMANY)
        for _ in range(18):
            assert ask(GERMANY, everybody) == [], "Chile has its head start"
            let_pass(49)
        let_pass(200)
        assert count(ask(GERMANY, everybody)) == 1

    def test_nearest_of_those_who_are_there(self) -> None:
        put("http://a.example/1", "http://b.example/1", strategy=Strategy.NEAREST)
        Host.objects.filter(name="a.example").update(country="CL", continent="SA")
        assert count(ask(GERMANY, among(PERU, GERMANY))) == 1, "of b.example nothing is known: anybody may"
        assert count(ask(PERU, among(PERU, GERMANY))) == 1

    def test_nobody_near_is_there_so_nobody_waits(self) -> None:
        put("http://a.example/1", strategy=Strategy.NEAREST)
        Host.objects.update(country="CL", continent="SA")
        assert count(ask(NOWHERE, among(NOWHERE, GERMANY))) == 1

    def test_the_one_who_is_preferred_gets_it_at_once_after_others_were_sent_away(self) -> None:
        put(*(f"http://h{n}.example/1" for n in range(5)), strategy=Strategy.NEAREST)
        Host.objects.update(country="CL", continent="SA")
        everybody = among(CHILE, GERMANY)
        for _ in range(10):
            assert ask(GERMANY, everybody) == []
        assert count(ask(CHILE, everybody)) == 5

    def test_hosts_kept_for_others_do_not_stand_in_the_way(self) -> None:
        put(*(f"http://h{n}.example/1" for n in range(300)), strategy=Strategy.NEAREST)
        Host.objects.update(country="CL", continent="SA")
        put("http://z.example/1", owner="mine")
        Host.objects.filter(name="z.example").update(ready_at=timezone.now())
        everybody = among(CHILE, GERMANY)
        small = replace(SIZE, hosts=50)
        found = [host.name for _ in range(3) for host in ask(GERMANY, everybody, small)]
        assert found == ["z.example"]

    def test_a_steady_flow_of_other_work_on_the_host_does_not_renew_the_head_start(self) -> None:
        put("http://a.example/kept", strategy=Strategy.NEAREST)
        everybody = among(CHILE, GERMANY)
        given = []
        for number in range(6):
            put(f"http://a.example/{number}", owner="steady")
            Host.objects.update(country="CL", continent="SA")
            hosts = ask(GERMANY, everybody)
            given += [request.url for host in hosts for request in host.requests]
            answer(GERMANY, hosts)
            let_pass(300)
        assert "http://a.example/kept" in given


class TestEqual:
    def test_all_get_the_same_count_though_one_asks_far_more_often(self) -> None:
        put(*(f"http://h{n}.example/1" for n in range(240)), strategy=Strategy.EQUAL)
        nodes = (CHILE, PERU, GERMANY, NOWHERE)
        everybody = among(*nodes)
        got: Counter[str] = Counter()
        while Request.objects.exists():
            for claimant in (CHILE, CHILE, CHILE, PERU, GERMANY, CHILE, NOWHERE):
                hosts = ask(claimant, everybody)
                got[claimant.country] += answer(claimant, hosts)
        assert sum(got.values()) == 240
        assert max(got.values()) - min(got.values()) <= 16
        assert sum(share.given for share in Share.objects.all()) == 240
        services.forget_learned()
        assert not Share.objects.exists()

    def test_time_in_which_a_host_is_being_asked_makes_nobody_first(self) -> None:
        put(*(f"http://a.example/{n}" for n in range(64)), strategy=Strategy.EQUAL)
        everybody = among(CHILE, PERU)
        got: Counter[str] = Counter()
        while Request.objects.exists():
            for claimant in (CHILE, CHILE, CHILE, PERU):
                hosts = ask(claimant, everybody)
                let_pass(1200 if hosts else 0)  # they take their time
                got[claimant.country] += answer(claimant, hosts)
        assert abs(got["CL"] - got["PE"]) <= 16

    def test_one_who_never_asks_holds_nobody_up_for_long(self) -> None:
        put(*(f"http://h{n}.example/1" for n in range(40)), strategy=Strategy.EQUAL)
        everybody = among(CHILE, PERU)
        done = 0
        for _ in range(40):
            done += answer(CHILE, ask(CHILE, everybody))
            let_pass(600)
        assert done == 40


class TestFastest:
    def urls(self, number: int) -> list[str]:
        return [f"http://a.example/{n}" for n in range(number)]

    def test_those_who_were_quickest_are_preferred(self) -> None:
        put(*self.urls(30), strategy=Strategy.FASTEST)
        everybody, few = among(CHILE, GERMANY), replace(SIZE, urls=5)
        assert answer(CHILE, ask(CHILE, everybody, few), latency_seconds=0.05) == 5, (
            "nobody knows: anybody may"
        )
        assert ask(GERMANY, everybody, few) == [], "never tried, and nothing is left to chance here"
        assert answer(GERMANY, ask(GERMANY, replace(everybody, explored_share=1.0), few), 0.5) == 5
        assert {reach.country: reach.latency_seconds for reach in Reach.objects.all()} == {
            "CL": 0.05,
            "DE": 0.5,
        }
        assert ask(GERMANY, replace(everybody, explored_share=1.0), few) == [], "tried, and slower"
        assert answer(CHILE, ask(CHILE, everybody, few)) == 5
        assert count(ask(GERMANY, among(GERMANY), few)) == 5, "the quickest are away"

    def test_nobody_starves(self) -> None:
        put(*self.urls(5), strategy=Strategy.FASTEST)
        Reach.objects.create(
            host_id=Host.objects.get().pk, country="CL", latency_seconds=0.01, measured_at=timezone.now()
        )
        everybody = among(CHILE, GERMANY)
        assert ask(GERMANY, everybody) == []
        let_pass(1100)
        assert count(ask(GERMANY, everybody)) == 5

    def test_what_was_measured_long_ago_is_forgotten(self) -> None:
        put(*self.urls(5), strategy=Strategy.FASTEST)
        yesterday = timezone.now() - timedelta(days=2)
        Reach.objects.create(
            host_id=Host.objects.get().pk, country="CL", latency_seconds=0.01, measured_at=yesterday
        )
        assert count(ask(GERMANY, among(CHILE, GERMANY))) == 5

    def test_other_jobs_learn_nothing(self) -> None:
        put(*self.urls(5))
        answer(CHILE, ask(CHILE, among(CHILE)))
        assert not Reach.objects.exists()


class TestStragglers:
    def test_near_the_end_another_person_gets_a_second_copy_where_the_host_allows(self) -> None:
        put("http://a.example/1", "http://a.example/2")
        Host.objects.update(max_nodes=2, is_delay_per_node=True)
        slow = ask(CHILE, among(CHILE))
        assert count(slow) == 2
        let_pass(1)
        assert ask(PERU, among(PERU)) == []
        assert ask(PERU, among(PERU), is_copying=True) == [], "it is not late yet"
        Lease.objects.update(granted_at=F("granted_at") - timedelta(seconds=31))
        other_of_same = Claimant(uuid.uuid4(), CHILE.owner)
        assert ask(other_of_same, among(), is_copying=True) == [], "never two copies to one person"
        copies = ask(PERU, among(PERU), is_copying=True)
        assert count(copies) == 2
        let_pass(1)
        assert ask(GERMANY, among(GERMANY), is_copying=True) == [], "two hold it, and that is all it allows"
        assert answer(PERU, copies) == 2
        assert answer(CHILE, slow) == 0, "the first answer counts"
        assert (Host.objects.get().holders, Host.objects.get().queued) == (0, 0)
        assert not Lease.objects.exists()

    def test_where_delays_count_per_node_nobody_holds_a_host_twice(self) -> None:
        put(*(f"http://a.example/{n}" for n in range(40)))
        Host.objects.update(max_nodes=3, is_delay_per_node=True, delay_seconds=1)
        few, everybody = replace(SIZE, urls=5), among(CHILE, PERU)
        assert count(ask(CHILE, everybody, few)) == 5
        let_pass(10)
        assert ask(CHILE, everybody, few) == [], "its own delay would be broken"
        assert count(ask(PERU, everybody, few)) == 5

    def test_a_host_for_one_node_at_a_time_stays_so(self) -> None:
        put("http://a.example/1")
        ask(CHILE, among(CHILE))
        Lease.objects.update(granted_at=F("granted_at") - timedelta(seconds=31))
        assert ask(PERU, among(PERU), is_copying=True) == []


def test_what_a_node_held_when_it_left_goes_to_others_after_the_guard_time() -> None:
    put("http://a.example/1", "http://b.example/1")
    held = ask(CHILE, among(CHILE))
    assert leases.take_back(node=CHILE.node, guard_seconds=30) == 2
    assert ask(PERU, among(PERU)) == [], "it may still be fetching"
    assert all(host.ready_at <= timezone.now() + timedelta(seconds=30) for host in Host.objects.all())
    let_pass(31)
    Lease.objects.update(expires_at=F("expires_at") - timedelta(seconds=31))
    assert count(ask(PERU, among(PERU))) == 2
    assert answer(CHILE, held) == 2, "a late answer is an answer"


def test_when_the_next_host_is_free() -> None:
    assert glances.glance(CHILE.node).due_seconds is None
    put("http://a.example/1", "http://b.example/1")
    assert glances.glance(CHILE.node).due_seconds == 0
    Host.objects.filter(name="a.example").update(ready_at=timezone.now() + timedelta(seconds=100))
    Host.objects.filter(name="b.example").update(ready_at=timezone.now() + timedelta(seconds=50))
    assert glances.glance(CHILE.node).due_seconds == pytest.approx(50, abs=5)
    Host.objects.filter(name="b.example").update(blocked_reason="x")
    assert glances.glance(CHILE.node).due_seconds == pytest.approx(100, abs=5)


def test_work_for_a_country_is_found_among_much_that_others_keep_asking_for() -> None:
    batch = services.open_batch(purpose="test", owner="o")
    wanted = [
        Wanted(f"http://h{n}.example/1", f"h{n}.example", "http", copy="CL", country="CL") for n in range(100)
    ]
    services.put_requests(batch=batch, wanted=wanted)
    know_robots()
    for _ in range(30):
        assert ask(GERMANY, among(GERMANY)) == []
    assert count(ask(CHILE, among(CHILE))) == 50
    assert count(ask(CHILE, among(CHILE))) == 50


def test_robots_txt_of_a_host_with_two_queues_is_asked_for_once() -> None:
    batch = services.open_batch(purpose="test", owner="o")
    wanted = [
        Wanted("http://a.example/1", "a.example", "http"),
        Wanted("http://a.example/1", "a.example", "http", copy="CL", country="CL"),
    ]
    services.put_requests(batch=batch, wanted=wanted)
    [host] = ask(CHILE, among(CHILE))
    assert [request.url for request in host.requests] == ["http://a.example/robots.txt"]


class TestSharedAddress:
    def test_dead_holders_do_not_keep_the_gate_shut(self) -> None:
        put(*(f"http://h{n}.example/1" for n in range(6)))
        group = IpGroup.objects.create(address="192.0.2.1", size=6)
        Host.objects.update(ip_group=group)
        assert count(ask(CHILE, among())) == 2
        let_pass(100)
        assert ask(PERU, among()) == []
        Lease.objects.update(expires_at=F("expires_at") - timedelta(seconds=100))
        let_pass(100)
        assert count(ask(PERU, among())) == 2

    def test_a_large_group_has_more_places(self) -> None:
        put(*(f"http://h{n}.example/1" for n in range(30)))
        group = IpGroup.objects.create(address="192.0.2.1", size=500)
        Host.objects.update(ip_group=group)
        assert count(ask(CHILE, among())) == 22


@pytest.mark.django_db(transaction=True)
def test_groups_hold_while_many_ask_at_once() -> None:
    """Threads that claim and complete; two hosts of an address at a time, never three, and nobody blocks anybody."""
    names = [f"h{n}.example" for n in range(30)]
    put(*(f"http://{name}/{n}" for name in names for n in range(4)))
    groups = [IpGroup.objects.create(address=f"192.0.2.{n}", size=10) for n in range(3)]
    group_of = {}
    for number, host in enumerate(Host.objects.order_by("pk")):
        Host.objects.filter(pk=host.pk).update(ip_group=groups[number % 3])
        group_of[host.pk] = number % 3
    holding: Counter[int] = Counter()
    most: list[int] = []
    done: list[int] = []
    lock = threading.Lock()

    def work(number: int) -> None:
        claimant = Claimant(uuid.uuid4(), number)
        size = replace(SIZE, hosts=10, urls=10)
        deadline = time.monotonic() + 60
        while sum(done) < 120 and time.monotonic() < deadline:
            hosts = ask(claimant, among(), size)
            with lock:
                holding.update(group_of[host.host_id] for host in hosts)
                most.append(max(holding.values(), default=0))
            time.sleep(0.002)
            with lock:
                holding.subtract(group_of[host.host_id] for host in hosts)
            done.append(answer(claimant, hosts))
        connection.close()

    threads = [threading.Thread(target=work, args=[n]) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == 120
    assert max(most) <= 2
