"""Handing hosts out, taking answers back, and who holds what meanwhile."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Collate
from django.utils import timezone

from ronda.database.named_sql import named_sql
from ronda.frontier import arrivals
from ronda.frontier.blocks import (
    BlockSize,
    Claimant,
    Completion,
    EndedRequest,
    Extension,
    Known,
    LeasedHost,
    LeasedRequest,
)
from ronda.frontier.models import Host, Lease
from ronda.frontier.politeness import Pace
from ronda.frontier.services import LANES
from ronda.frontier.strategies import Preference

# Of a host: what only claims look at, and what answers write but do not read. Moments and ids are slow to load.
NOT_OF_ANSWERS = (
    "ready_at", "due_at", "waiting_since", "holders", "max_nodes", "is_delay_per_node", "queued", "has_work",
    "lane", "turn", "blocked_reason", "robots_text", "robots_expires_at", "robots_node",
)  # fmt: skip


def lock_hosts(host_ids: Iterable[int]) -> dict[int, Host]:
    """Hosts as they are now, not to change before the transaction ends. In the order in which everybody locks them.

    As far as answers need them: an upload may have thousands.
    """
    found = Host.objects.filter(pk__in=host_ids).defer(*NOT_OF_ANSWERS).order_by(Collate("name", "C"))
    return {host.pk: host for host in found.select_for_update()}


def claim(
    *,
    claimant: Claimant,
    block: uuid.UUID,
    size: BlockSize,
    pace: Pace,
    hosts_per_address: int,
    preference: Preference | None = None,
    is_copying: bool = False,
) -> list[LeasedHost]:
    """Hosts that are free now, reserved for the node that asks. Empty: nothing may be fetched now.

    `is_copying`: URLs that stragglers hold, a second time. For nodes that got nothing else.
    """
    among = preference or Preference()
    arguments = {
        **asdict(claimant),
        "block": block,
        "hosts_per_address": hosts_per_address,
        **asdict(size),
        **asdict(pace),
        "nodes": list(among.nodes),
        "countries": list(among.countries),
        "continents": list(among.continents),
        "head_start_seconds": among.head_start_seconds,
        "explored_share": among.explored_share,
        "is_copying": is_copying,
        "lanes": LANES,
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "call_claim"), arguments)
        rows = cursor.fetchall()
    hosts: dict[int, LeasedHost] = {}
    for lease_id, host_id, name, _scheme, is_robots, delay, request_id, url, attempts, known in rows:
        host = hosts.setdefault(host_id, LeasedHost(lease_id, host_id, name, is_robots, delay))
        # Its robots.txt is asked for once, in however many queues it has URLs.
        if not (is_robots and host.requests):
            told = Known(**json.loads(known)) if known else None
            host.requests.append(LeasedRequest(request_id, url, attempts, told))
    return list(hosts.values())


def note_brought(*, node: uuid.UUID, block: uuid.UUID) -> None:
    """The node has asked all it was to ask, and was troubled by nothing: where no delay is to be kept, it may go on."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "note_brought"), {"node": node, "block": block})
        if cursor.rowcount:
            arrivals.line.call(0, besides=node)


def complete(*, completion: Completion) -> list[EndedRequest]:
    """Free the hosts of a block and take answered requests out of the queue.

    Call it inside the transaction that keeps the answers.
    """
    arguments: dict[str, Any] = {
        "node": completion.node,
        "block": completion.block,
        "done": completion.done,
        "retry": [retry.request_id for retry in completion.retries],
        "retry_seconds": [retry.after_seconds for retry in completion.retries],
        "hosts": [host.host_id for host in completion.hosts],
        "delays": [host.delay_seconds for host in completion.hosts],
        "latencies": [host.latency_seconds for host in completion.hosts],
        "backoffs": [host.backoff_seconds for host in completion.hosts],
        "incidents": [host.incidents for host in completion.hosts],
        "learned": [host.learned_delay_seconds for host in completion.hosts],
        "country": completion.country,
    }
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "call_complete"), arguments)
        return [EndedRequest(*row) for row in cursor.fetchall()]


def extend(*, node: uuid.UUID, blocks: Sequence[uuid.UUID], extension: Extension) -> dict[uuid.UUID, float]:
    """What the node still holds of these blocks, and for how many seconds more."""
    arguments = {"node": node, "blocks": list(blocks), **asdict(extension)}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "call_extend"), arguments)
        return dict(cursor.fetchall())


def take_back(*, node: uuid.UUID, guard_seconds: float) -> int:
    """A node left: its hosts go to others once it cannot be fetching any more. Returns how many those are.

    What it brings before then is still taken.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.frontier", "take_back"), {"node": node, "guard_seconds": guard_seconds}
        )
        return int(cursor.rowcount)


def sweep_leases(*, lost_before: datetime, forget_before: datetime) -> None:
    """End leases nobody asks about any more, and forget those that ended long ago."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT frontier_sweep_leases(%s, %s)", [lost_before, forget_before])


def held_by(node: uuid.UUID) -> int:
    """How many URLs a node holds in all its blocks; a robots.txt counts as one."""
    held = Lease.objects.filter(node=node, is_over=False, expires_at__gt=timezone.now())
    return sum(max(1, len(ids)) for ids in held.values_list("request_ids", flat=True))


def held_beside(node: uuid.UUID, owner: int) -> int:
    """The same, with what the other nodes of that person hold that nobody knows yet."""
    mine = Q(node=node) | Q(owner=owner, is_trusted=False)
    held = Lease.objects.filter(mine, is_over=False, expires_at__gt=timezone.now())
    return sum(max(1, len(ids)) for ids in held.values_list("request_ids", flat=True))


def lost_blocks(*, owner: int, since: datetime) -> int:
    """Blocks that a person's nodes which nobody knew yet were given since then, and never brought."""
    lost = Lease.objects.filter(
        owner=owner, is_trusted=False, granted_at__gt=since, expires_at__lte=timezone.now()
    )
    return lost.values("block").distinct().count()
