"""Hosts with URLs in the queue, for tests of what directors and clients do to them."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.utils import timezone

from ronda.frontier import leases, services
from ronda.frontier.blocks import BlockSize, Claimant, LeasedHost, Wanted
from ronda.frontier.models import Batch, Host, RobotsState
from ronda.frontier.politeness import Pace

NODE = uuid.uuid4()
SIZE = BlockSize(hosts=50, urls=200, lease_seconds=60, guard_seconds=10, busy_seconds=2)
PACE = Pace(floor_seconds=1, cap_seconds=120, latency_factor=5)


def put(*urls: str, purpose: str = "test", owner: str = "o") -> Batch:
    """Queue them; their hosts have no robots.txt."""
    batch = services.open_batch(purpose=purpose, owner=owner)
    services.put_requests(batch=batch, wanted=[Wanted(url, url.split("/")[2], "http") for url in urls])
    Host.objects.filter(robots_state=RobotsState.UNKNOWN).update(
        robots_state=RobotsState.ABSENT, robots_expires_at=timezone.now() + timedelta(days=1)
    )
    batch.refresh_from_db()
    return batch


def claim() -> tuple[uuid.UUID, list[LeasedHost]]:
    block = uuid.uuid4()
    return block, leases.claim(
        claimant=Claimant(NODE, 1), block=block, size=SIZE, pace=PACE, hosts_per_address=2
    )
