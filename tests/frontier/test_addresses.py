"""Where hosts are, and which of them share an address."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils import timezone

from ronda.frontier import leases, services
from ronda.frontier.addresses import note_addresses
from ronda.frontier.blocks import BlockSize, Claimant, Completion, HostReport, Wanted
from ronda.frontier.models import Host, IpGroup, Lease
from ronda.frontier.places import address_in, canonical_address, continent_of, country_of, is_country
from ronda.frontier.politeness import Pace
from ronda.frontier.strategies import Preference, Strategy
from tests.frontier.queueing import claim


@pytest.mark.parametrize(
    ("address", "country", "continent"),
    [
        ("200.7.6.1", "CL", "SA"),
        ("193.99.144.80", "DE", "EU"),
        ("8.8.8.8", "US", "NA"),
        ("2001:67c:2564::1", "NL", "EU"),
        ("127.0.0.1", "", ""),
        ("192.168.1.1", "", ""),
        ("nonsense", "", ""),
        ("", "", ""),
    ],
)
def test_country_of_an_address(address: str, country: str, continent: str) -> None:
    assert country_of(address) == country
    assert continent_of(country) == continent


def test_every_country_has_one_continent() -> None:
    assert sum(is_country(a + b) for a in map(chr, range(65, 91)) for b in map(chr, range(65, 91))) == 250
    assert not is_country("")
    assert not is_country("EU")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:DB8:0:0::1", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("192.0.2.1:80", ""),
        ("x" * 10_000, ""),
    ],
)
def test_addresses_have_one_form(text: str, canonical: str) -> None:
    assert canonical_address(text) == canonical


def make(*names: str) -> dict[int, Host]:
    return {host.pk: host for host in (Host.objects.create(name=name) for name in names)}


def groups() -> dict[str, tuple[int, list[str]]]:
    return {
        group.address: (group.size, sorted(group.hosts.values_list("name", flat=True)))
        for group in IpGroup.objects.all()
    }


@pytest.mark.django_db
class TestGroups:
    def note(self, told: dict[str, str], *, are_private_grouped: bool = False) -> None:
        hosts = {host.pk: host for host in Host.objects.filter(name__in=told)}
        note_addresses(
            hosts,
            {host.pk: told[host.name] for host in hosts.values()},
            are_private_grouped=are_private_grouped,
        )

    def test_a_group_is_made_for_the_second_host(self) -> None:
        make("a.example", "b.example", "c.example")
        self.note({"a.example": "200.7.6.1"})
        assert groups() == {}
        host = Host.objects.get(name="a.example")
        assert (host.address, host.country, host.continent) == ("200.7.6.1", "CL", "SA")
        self.note({"b.example": "200.7.6.1"})
        assert groups() == {"200.7.6.1": (1, ["b.example"])}
        self.note({"a.example": "200.7.6.1"})
        assert groups() == {"200.7.6.1": (2, ["a.example", "b.example"])}

    def test_two_of_one_upload(self) -> None:
        make("a.example", "b.example")
        self.note({"a.example": "8.8.8.8", "b.example": "8.8.8.8"})
        assert groups() == {"8.8.8.8": (2, ["a.example", "b.example"])}

    def test_a_lie_is_put_right_by_the_next_honest_answer(self) -> None:
        make("a.example", "b.example")
        self.note({"a.example": "8.8.8.8", "b.example": "8.8.8.8"})
        self.note({"a.example": "200.7.6.1"})
        assert groups() == {"8.8.8.8": (1, ["b.example"])}
        assert Host.objects.get(name="a.example").country == "CL"

    @pytest.mark.parametrize("address", ["127.77.1.1", "10.0.0.1", "fd00::1", "169.254.169.254"])
    def test_private_addresses_are_grouped_only_where_they_may_be_fetched(self, address: str) -> None:
        make("a.example", "b.example")
        told = {"a.example": address, "b.example": address}
        self.note(told)
        assert groups() == {}
        self.note(told, are_private_grouped=True)
        assert groups() == {}, "nothing changed, so nothing is looked up"
        self.note({"a.example": "8.8.8.8"})
        self.note({"a.example": address}, are_private_grouped=True)
        assert groups()[address] == (1, ["a.example"])

    @pytest.mark.parametrize("told", ["", "nonsense", "1.2.3", "\0", "x" * 300])
    def test_what_is_no_address_changes_nothing(self, told: str) -> None:
        make("a.example")
        self.note({"a.example": told})
        assert Host.objects.get().address == ""

    def test_an_address_that_stays_costs_one_question(self, django_assert_num_queries: object) -> None:
        make("a.example")
        self.note({"a.example": "8.8.8.8"})
        hosts = {host.pk: host for host in Host.objects.all()}
        with django_assert_num_queries(1):  # type: ignore[operator]
            note_addresses(hosts, dict.fromkeys(hosts, "8.8.8.8"), are_private_grouped=False)


@pytest.mark.django_db(transaction=True)
def test_hosts_that_move_while_many_ask_block_nobody_and_are_counted_right() -> None:
    """Threads that queue, claim, note addresses as they please and complete, all in the order of locks."""
    names = [f"h{n}.example" for n in range(40)]
    strategies = list(Strategy)
    total = len(names) * len(strategies)
    done: list[int] = []

    def feed(strategy: Strategy) -> None:
        batch = services.open_batch(purpose="test", owner=strategy, strategy=strategy)
        services.put_requests(
            batch=batch, wanted=[Wanted(f"http://{n}/{strategy}", n, "http") for n in names]
        )

    def fetch(number: int) -> None:
        chance = random.Random(number)
        claimant = Claimant(uuid.uuid4(), number, "CL", "SA")
        deadline = time.monotonic() + 120
        while sum(done) < total and time.monotonic() < deadline:
            block = uuid.uuid4()
            hosts = leases.claim(
                claimant=claimant,
                block=block,
                size=BlockSize(10, 30, lease_seconds=60, guard_seconds=10, busy_seconds=10),
                pace=Pace(0, 0, 0),
                hosts_per_address=2,
                preference=Preference(head_start_seconds=0.05),
            )
            with transaction.atomic():
                locked = leases.lock_hosts(host.host_id for host in hosts)
                told = {pk: f"200.7.6.{chance.randrange(3)}" for pk in locked}
                note_addresses(locked, told, are_private_grouped=False)
                numbers = [
                    request.id for host in hosts for request in host.requests if request.id is not None
                ]
                reports = [HostReport(host.host_id, 0.0, 0.1) for host in hosts]
                ended = leases.complete(
                    completion=Completion(claimant.node, block, numbers, [], reports, "CL")
                )
            done.append(len(ended))

    def closing(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connection.close()

    day = timezone.now() + timedelta(days=1)
    Host.objects.bulk_create(Host(name=name, robots_expires_at=day) for name in names)
    works = [partial(feed, strategy) for strategy in strategies] + [partial(fetch, n) for n in range(5)]
    with ThreadPoolExecutor(len(works)) as pool:
        list(pool.map(closing, works))
    assert sum(done) == total
    assert not Lease.objects.exists()
    for group in IpGroup.objects.all():
        assert group.size == group.hosts.count()


@pytest.mark.parametrize(
    ("authority", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:8080", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[::1]:8080", "::1"),
        ("[::ffff:7f00:1]:8080", "127.0.0.1"),
        ("a.example", ""),
        ("a.example:8080", ""),
        ("h1", ""),
        ("", ""),
    ],
)
def test_the_address_a_host_is_called_by(authority: str, address: str) -> None:
    assert address_in(authority) == address


@pytest.mark.django_db
def test_hosts_that_are_addresses_are_gated_from_the_first_request_on() -> None:
    """20 ports of one machine, and another machine: nobody has asked any of them yet."""
    names = [*(f"127.9.9.9:{port}" for port in range(8001, 8021)), "127.9.9.8:8001"]
    batch = services.open_batch(purpose="test", owner="o")
    services.put_requests(batch=batch, wanted=[Wanted(f"http://{name}/", name, "http") for name in names])
    _, first = claim()
    assert sorted(host.name.partition(":")[0] for host in first) == ["127.9.9.8", "127.9.9.9", "127.9.9.9"]
    Host.objects.update(ready_at=timezone.now() - timedelta(seconds=1))
    Host.objects.filter(pk__in=[host.host_id for host in first]).update(has_work=False)
    _, second = claim()
    assert second == [], "two are being asked there"
    assert groups() == {"127.9.9.9": (20, sorted(names[:20]))}


@pytest.mark.django_db(transaction=True)
def test_those_who_find_a_new_address_together_keep_its_gate() -> None:
    """Each claim takes a few of the hosts, none waits for another, and all together stay below the limit."""
    names = [f"127.9.9.9:{port}" for port in range(8001, 8041)]
    batch = services.open_batch(purpose="test", owner="o")
    services.put_requests(batch=batch, wanted=[Wanted(f"http://{name}/", name, "http") for name in names])
    few = BlockSize(hosts=5, urls=50, lease_seconds=60, guard_seconds=10, busy_seconds=2)

    def ask(number: int) -> int:
        try:
            return len(
                leases.claim(
                    claimant=Claimant(uuid.uuid4(), number),
                    block=uuid.uuid4(),
                    size=few,
                    pace=Pace(floor_seconds=1, cap_seconds=120, latency_factor=5),
                    hosts_per_address=2,
                )
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        given = sum(threads.map(ask, range(24)))
    assert 1 <= given <= 2
    assert Lease.objects.count() == given
