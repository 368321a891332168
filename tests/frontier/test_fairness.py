"""A large batch and a small one: both get on, on different hosts and on the same."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from ronda.frontier import leases
from ronda.frontier.blocks import Claimant, LeasedHost
from ronda.frontier.models import Host, Request
from tests.frontier.queueing import PACE, SIZE, put

pytestmark = pytest.mark.django_db


def claim_of(hosts: int, urls: int) -> list[LeasedHost]:
    return leases.claim(
        claimant=Claimant(uuid.uuid4(), 1),
        block=uuid.uuid4(),
        size=replace(SIZE, hosts=hosts, urls=urls, busy_seconds=60),
        pace=PACE,
        hosts_per_address=2,
    )


def test_each_batch_gets_its_share_of_a_claim() -> None:
    """Though all hosts of the large one have waited longer."""
    put(*(f"http://h{number}.example/" for number in range(300)), owner="large")
    put(*(f"http://s{number}.example/" for number in range(28)), owner="small")
    Host.objects.filter(name__startswith="h").update(ready_at=timezone.now() - timedelta(hours=1))
    names = [host.name[0] for _ in range(3) for host in claim_of(20, 20)]
    assert (names.count("s"), names.count("h")) == (28, 32), "half of each, and what is left for the other"


def test_what_a_small_batch_leaves_over_goes_to_the_large_one() -> None:
    put(*(f"http://h{number}.example/" for number in range(100)), owner="large")
    put("http://s.example/", owner="small")
    assert len(claim_of(50, 50)) == 50


def test_on_one_host_batches_take_turns() -> None:
    put(*(f"http://a.example/large/{number}" for number in range(40)), owner="large")
    [host] = claim_of(1, 10)
    Request.objects.filter(pk__in=[request.id for request in host.requests]).delete()
    put(*(f"http://a.example/small/{number}" for number in range(4)), owner="small")
    Host.objects.update(ready_at=timezone.now() - timedelta(hours=1), holders=0)
    [host] = claim_of(1, 10)
    urls = [request.url for request in host.requests]
    assert sum("/small/" in url for url in urls) == 4, "at once, and not behind the other 30"


def test_a_batch_keeps_its_order() -> None:
    urls = [f"http://a.example/{number}" for number in range(20)]
    put(*urls)
    [host] = claim_of(1, 20)
    assert [request.url for request in host.requests] == urls
