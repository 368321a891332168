"""Why hosts wait, and how fast a polite crawl could go."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from ronda.frontier.models import Host, IpGroup, Lease
from ronda.frontier.waiting import HostClocks, WaitsFor, longest_queues, reason, waiting_now
from tests.frontier.queueing import claim, put

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(minutes=5)
FREE = HostClocks(
    blocked_reason="",
    backoff_until=None,
    ready_at=NOW - timedelta(seconds=1),
    is_held=False,
    held_until=None,
    is_lost=False,
    address_free_at=None,
    robots_state="rules",
    pace_seconds=2.0,
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, (WaitsFor.NODE, None)),
        ({"robots_state": "unreachable"}, (WaitsFor.ROBOTS, None)),
        ({"ready_at": NOW + timedelta(seconds=2)}, (WaitsFor.DELAY, NOW + timedelta(seconds=2))),
        ({"ready_at": LATER}, (WaitsFor.RETRY, LATER)),
        ({"address_free_at": LATER}, (WaitsFor.ADDRESS, LATER)),
        ({"ready_at": LATER, "is_lost": True}, (WaitsFor.LOST, LATER)),
        ({"is_lost": True}, (WaitsFor.NODE, None)),
        ({"ready_at": LATER, "is_held": True, "held_until": LATER}, (WaitsFor.HELD, LATER)),
        ({"is_held": True, "held_until": LATER, "backoff_until": LATER}, (WaitsFor.BACKOFF, LATER)),
        ({"backoff_until": NOW - timedelta(seconds=1)}, (WaitsFor.NODE, None)),
        ({"blocked_reason": "no", "backoff_until": LATER}, (WaitsFor.OPTED_OUT, None)),
    ],
)
def test_the_strongest_reason_is_told(
    changes: dict[str, Any], expected: tuple[WaitsFor, datetime | None]
) -> None:
    assert reason(replace(FREE, **changes), NOW) == expected


@pytest.mark.django_db
def test_ceiling_is_the_sum_over_hosts_that_may_be_asked() -> None:
    assert waiting_now().ceiling == 0
    put(*(f"http://h{n}.example/" for n in range(6)), "http://h0.example/2")
    Host.objects.filter(name="h0.example").update(delay_seconds=0.5)
    Host.objects.filter(name="h1.example").update(crawl_delay_seconds=10)
    Host.objects.filter(name="h2.example").update(latency_seconds=0.4)
    Host.objects.filter(name="h3.example").update(delay_seconds=4, max_nodes=3, is_delay_per_node=True)
    Host.objects.filter(name="h4.example").update(backoff_until=timezone.now() + timedelta(hours=1))
    Host.objects.filter(name="h5.example").update(blocked_reason="no")
    now = waiting_now()
    assert now.ceiling == pytest.approx(1 / 0.5 + 1 / 10 + 1 / (5 * 0.4) + 3 / 4)
    assert (now.hosts, now.due, now.resting, now.queued) == (5, 4, 1, 6)


@pytest.mark.django_db
def test_longest_queues_say_what_each_waits_for() -> None:
    put(*(f"http://{name}.example/{n}" for name, count in (("a", 5), ("b", 4), ("c", 3), ("d", 2), ("e", 1))
          for n in range(count)))  # fmt: skip
    later = timezone.now() + timedelta(minutes=5)
    group = IpGroup.objects.create(address="192.0.2.1", size=3)
    Host.objects.filter(name__in=["a.example", "b.example", "e.example"]).update(ip_group=group)
    Host.objects.filter(name="c.example").update(backoff_until=later)
    claim()
    Host.objects.filter(name="d.example").update(blocked_reason="no")
    assert [(host.name, host.queued, host.waits_for) for host in longest_queues(10)] == [
        ("a.example", 5, WaitsFor.HELD),
        ("b.example", 4, WaitsFor.HELD),
        ("c.example", 3, WaitsFor.BACKOFF),
        ("d.example", 2, WaitsFor.OPTED_OUT),
        ("e.example", 1, WaitsFor.ADDRESS),
    ]
    assert [host.name for host in longest_queues(2)] == ["a.example", "b.example"]


@pytest.mark.django_db
def test_a_host_whose_node_fell_silent_says_so_until_it_is_free() -> None:
    put("http://a.example/1", "http://a.example/2")
    claim()
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    free_at = timezone.now() + timedelta(seconds=9)
    Host.objects.update(ready_at=free_at)
    [host] = longest_queues(1)
    assert (host.waits_for, host.until) == (WaitsFor.LOST, free_at)
    Host.objects.update(ready_at=timezone.now() - timedelta(minutes=1))
    assert longest_queues(1)[0].waits_for is WaitsFor.NODE
