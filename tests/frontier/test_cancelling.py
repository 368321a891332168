"""A cancelled batch: what waits ends, what is being fetched ends with its answer, nobody else notices."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from ronda.frontier import ending, services
from ronda.frontier.blocks import Claimant, Completion, HostReport, Retry
from ronda.frontier.ending import cancel_batch, end_unwanted
from ronda.frontier.models import Batch, Host, Lease, Request
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
    services.complete(
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
            hosts = services.claim(
                claimant=Claimant(node, 1), block=block, size=SIZE, pace=PACE, hosts_per_address=2
            )
            done = [request.id for host in hosts for request in host.requests if request.id is not None]
            reports = [HostReport(host.host_id, 0.0, 0.01) for host in hosts]
            services.complete(completion=Completion(node, block, done, [], reports))
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
