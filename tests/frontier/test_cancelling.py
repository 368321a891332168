"""A cancelled batch: what waits ends, what is being fetched ends with its answer, nobody else notices."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from ronda.frontier import ending, leases
from ronda.frontier.blocks import Claimant, Completion, HostReport, Retry
from ronda.frontier.ending import cancel_batch, end_unwanted
from ronda.frontier.models import Batch, Host, Lease, Request
from ronda.frontier.queries import unwanted_of
from tests.frontier.queueing import NODE, PACE, SIZE, claim, put

pytestmark = pytest.mark.django_db


def _numbers(batch: Batch) -> tuple[int, int]:
    batch.refresh_from_db()
    return batch.total, batch.ended


def test_only_its_own_requests_end() -> None:
    mine = put("http://a.example/1", "http://a.example/2", "http://b.example/", owner="mine")
    other = put("http://a.example/3", owner="other")
    assert cancel_batch(batch_id=mine.pk) == 3
    assert _numbers(mine) == (3, 3)
    assert _numbers(other) == (1, 0)
    assert {h.name: (h.queued, h.has_work) for h in Host.objects.all()} == {
        "a.example": (1, True),
        "b.example": (0, False),
    }
    assert cancel_batch(batch_id=mine.pk) == 0
    _, [leased] = claim()
    assert [request.url for request in leased.requests] == ["http://a.example/3"]


def test_long_one_ends_a_piece_at_once_and_the_rest_by_the_leader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ending, "PIECE", 2)
    batch = put("http://a.example/1", *(f"http://b.example/{n}" for n in range(5)))
    claim()
    held = Lease.objects.values_list("request_ids", flat=True)
    waiting = 6 - sum(len(numbers) for numbers in held)
    assert waiting > 2, "some are held, and stand before others"
    assert cancel_batch(batch_id=batch.pk, seconds=0) < waiting
    end_unwanted()
    assert _numbers(batch) == (6, waiting)


def test_a_running_one_that_fails_is_not_tried_again() -> None:
    batch = put("http://a.example/1", "http://a.example/2", "http://a.example/3")
    block, [leased] = claim()
    assert cancel_batch(batch_id=batch.pk) == 1
    first, second = (request.id for request in leased.requests)
    assert first
    assert second
    leases.complete(
        completion=Completion(
            NODE, block, [first], [Retry(second, 30.0)], [HostReport(leased.host_id, 0.0, 0.1)]
        )
    )
    assert _numbers(batch) == (3, 2)
    end_unwanted()
    assert _numbers(batch) == (3, 3)
    assert not Request.objects.exists()


def test_those_of_a_silent_node_end_when_its_lease_is_over() -> None:
    batch = put("http://a.example/")
    claim()
    end_unwanted()
    assert cancel_batch(batch_id=batch.pk) == 0
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    end_unwanted()
    assert _numbers(batch) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_cancelling_while_nodes_work_loses_nothing_and_blocks_nobody() -> None:
    batches = [
        put(*(f"http://h{n % 20}.example/{b}/{n}" for n in range(200)), owner=str(b)) for b in range(4)
    ]
    begin = threading.Barrier(5)

    def fetch() -> None:
        node = uuid.uuid4()
        begin.wait()
        for _ in range(30):
            block = uuid.uuid4()
            hosts = leases.claim(
                claimant=Claimant(node, 1), block=block, size=SIZE, pace=PACE, hosts_per_address=2
            )
            done = [request.id for host in hosts for request in host.requests if request.id is not None]
            reports = [HostReport(host.host_id, 0.0, 0.01) for host in hosts]
            leases.complete(completion=Completion(node, block, done, [], reports))
        connection.close()

    threads = [threading.Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    begin.wait()
    for batch in batches:
        cancel_batch(batch_id=batch.pk)
    for thread in threads:
        thread.join()
    end_unwanted()
    assert all(_numbers(batch) == (200, 200) for batch in batches)
    assert not Request.objects.exists()
    assert not Host.objects.filter(queued__gt=0).exists()


def test_cancelled_urls_are_in_nobodys_way_and_no_robots_is_asked_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Long before all of them have ended: others' URLs do not stand behind them."""
    monkeypatch.setattr(ending, "PIECE", 10)
    large = put(*(f"http://h{number}.example/" for number in range(300)), owner="large")
    other = put("http://h7.example/paid", "http://other.example/paid", owner="other")
    Host.objects.update(robots_expires_at=None)
    cancel_batch(batch_id=large.pk, seconds=0)
    assert Request.objects.filter(batch=large).count() == 290
    assert set(Host.objects.filter(has_work=True).values_list("name", flat=True)) == {
        "h7.example", "other.example",
    }  # fmt: skip
    _, leased = claim()
    assert {host.name for host in leased} == {"h7.example", "other.example"}
    assert _numbers(other) == (2, 0)


def test_a_claim_passes_over_what_was_cancelled() -> None:
    """Also where its host was locked when it was cancelled, or freed since."""
    batch = put("http://a.example/", "http://b.example/")
    Batch.objects.update(is_cancelled=True)
    assert claim()[1] == []
    assert not Host.objects.filter(has_work=True).exists()
    put("http://a.example/new", owner="other")
    _, [leased] = claim()
    assert [request.url for request in leased.requests] == ["http://a.example/new"]
    end_unwanted()
    assert _numbers(batch) == (2, 2)


def test_a_node_hears_what_of_its_work_nobody_wants() -> None:
    mine = put("http://a.example/1", "http://r.example/", owner="mine")
    put("http://a.example/2", owner="other")
    Host.objects.filter(name="r.example").update(robots_expires_at=None)
    _, leased = claim()
    assert unwanted_of(NODE) == []
    cancel_batch(batch_id=mine.pk)
    by_url = {request.url: request.id or 0 for host in leased for request in host.requests}
    ids = {host.name: host.host_id for host in leased}
    assert set(unwanted_of(NODE)) == {
        (by_url["http://a.example/1"], ids["a.example"]), (0, ids["r.example"]),
    }  # fmt: skip
