"""Putting URLs in, handing hosts out, taking answers back."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Collate
from django.utils import timezone

from ronda.database.named_sql import named_sql
from ronda.frontier.blocks import (
    BlockSize,
    Claimant,
    Completion,
    EndedRequest,
    Extension,
    Known,
    LeasedHost,
    LeasedRequest,
    Wanted,
)
from ronda.frontier.ending import opted_out
from ronda.frontier.models import Batch, Host, Lease, Request, RobotsState
from ronda.frontier.opt_outs import refusals
from ronda.frontier.politeness import Pace
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.frontier.strategies import Preference, Strategy

# Fewer statements, but none that keeps its host rows locked for long.
CHUNK = 5000
NEVER_QUEUED = 0


def open_batch(
    *, purpose: str, owner: str, priority: int = 0, strategy: Strategy = Strategy.LEAST_BUSY
) -> Batch:
    """The batch of that purpose and owner; the same one when asked again."""
    batch, _ = Batch.objects.get_or_create(
        purpose=purpose, owner=owner, defaults={"priority": priority, "strategy": strategy}
    )
    return batch


def put_requests(*, batch: Batch, wanted: Sequence[Wanted]) -> int:
    """Queue URLs of a batch; returns how many were new to it. Harmless to repeat.

    Those of hosts that opted out are not queued: their purpose hears at once that they are refused.
    """
    # Hosts are locked in the order of names over all chunks, as the caller may hold one transaction around them.
    by_host = sorted(wanted, key=lambda one: one.host)
    return sum(_put_chunk(batch, chunk) for chunk in _chunks(by_host))


def _chunks(wanted: Sequence[Wanted]) -> Iterable[Sequence[Wanted]]:
    return (wanted[start : start + CHUNK] for start in range(0, len(wanted), CHUNK))


def _put_chunk(batch: Batch, wanted: Sequence[Wanted]) -> int:
    with transaction.atomic():
        reasons = refusals(w.host for w in wanted)
        queued = _enqueue(batch, [w for w in wanted if w.host not in reasons])
        refused = _refuse(batch, [w for w in wanted if w.host in reasons], reasons)
        # Batches are locked last, as everywhere.
        Batch.objects.filter(pk=batch.pk).update(
            total=F("total") + queued + refused, ended=F("ended") + refused
        )
    return queued


def _enqueue(batch: Batch, wanted: Sequence[Wanted]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.frontier", "enqueue"),
            {
                "batch": batch.pk,
                "priority": batch.priority,
                "strategy": batch.strategy,
                "urls": [w.url for w in wanted],
                "digests": [_digest(w) for w in wanted],
                "names": [w.host for w in wanted],
                "schemes": [w.scheme for w in wanted],
                "copies": [w.copy for w in wanted],
                "countries": [w.country for w in wanted],
                "not_owners": [
                    f"{{{','.join(map(str, w.not_owners))}}}" if w.not_owners else None for w in wanted
                ],
                "are_for_trusted": [w.is_for_trusted for w in wanted],
                "known": [_as_json(w.known) if w.known else None for w in wanted],
                "are_kept_unchanged": [w.is_kept_unchanged for w in wanted],
            },
        )
        return int(cursor.rowcount)


def _as_json(known: Known) -> str:
    """A validator came from a server, and PostgreSQL takes no zero bytes."""
    etag, last_modified = (value.replace("\0", "") for value in (known.etag, known.last_modified))
    return json.dumps(asdict(replace(known, etag=etag, last_modified=last_modified)))


def _refuse(batch: Batch, wanted: Sequence[Wanted], reasons: Mapping[str, str]) -> int:
    """A URL is refused once a batch, as it would have been queued once."""
    if not wanted:
        return 0
    by_digest = {_digest(w): w for w in wanted}
    arguments: dict[str, Any] = {"batch": batch.pk, "digests": list(by_digest)}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "note_seen"), arguments)
        fresh = [by_digest[digest] for (digest,) in cursor.fetchall()]
    tell(
        Ended(
            EndedRequest(id=NEVER_QUEUED, batch_id=batch.pk, url=w.url, copy=w.copy, attempts=0),
            Outcome(OutcomeState.REFUSED, reason=opted_out(reasons[w.host])),
        )
        for w in fresh
    )
    return len(fresh)


def _digest(wanted: Wanted) -> uuid.UUID:
    """What a batch takes once."""
    return digest_of(f"{wanted.copy} {wanted.url}" if wanted.copy else wanted.url)


def digest_of(url: str) -> uuid.UUID:
    """128 bits of a hash: a billion URLs collide with a chance of one in 10^20."""
    return uuid.UUID(bytes=hashlib.blake2b(url.encode(), digest_size=16).digest())


def lock_hosts(host_ids: Iterable[int]) -> dict[int, Host]:
    """Hosts as they are now, not to change before the transaction ends. In the order in which everybody locks them."""
    found = Host.objects.filter(pk__in=host_ids).defer("robots_text").order_by(Collate("name", "C"))
    return {host.pk: host for host in found.select_for_update()}


def forget_robots_of(*, node: uuid.UUID) -> int:
    """The robots.txt files that a node brought: asked for again before anything else of their hosts."""
    return Host.objects.filter(robots_node=node).update(robots_expires_at=None, robots_node=None)


def forget_robots_at(*, name: str) -> int:
    """The robots.txt of this host was told wrong: it is asked for again, too."""
    return Host.objects.filter(name=name).update(robots_expires_at=None, robots_node=None)


def ask_robots_again(*, host: str) -> None:
    """A robots.txt that could not be had is asked for with the next request, and not after its usual time."""
    not_had = (RobotsState.UNREACHABLE, RobotsState.FAILED)
    Host.objects.filter(name=host, robots_state__in=not_had).update(robots_expires_at=None)


def ask_others(*, request_ids: Sequence[int], not_owner: int) -> None:
    """This person could not get them: next time somebody else tries."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE frontier_request SET not_owners = array_append(not_owners, %s) WHERE id = ANY (%s)",
            [not_owner, list(request_ids)],
        )


def let_anybody(*, waiting_since: datetime, but_not_for: str) -> int:
    """What was for others, who did not come for it: anybody may fetch it, except for this purpose."""
    late = Request.objects.filter(not_owners__isnull=False, not_before__lt=waiting_since)
    return late.exclude(batch__purpose=but_not_for).update(not_owners=None)


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
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "call_complete"), arguments)
        return [EndedRequest(*row) for row in cursor.fetchall()]


def held_by(node: uuid.UUID) -> int:
    """How many URLs a node holds in all its blocks; a robots.txt counts as one."""
    held = Lease.objects.filter(node=node, is_over=False, expires_at__gt=timezone.now())
    return sum(max(1, len(ids)) for ids in held.values_list("request_ids", flat=True))


def extend(*, node: uuid.UUID, blocks: Sequence[uuid.UUID], extension: Extension) -> dict[uuid.UUID, float]:
    """What the node still holds of these blocks, and for how many seconds more."""
    arguments = {"node": node, "blocks": list(blocks), **asdict(extension)}
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "call_extend"), arguments)
        return dict(cursor.fetchall())


def sweep_leases(*, lost_before: datetime, forget_before: datetime) -> None:
    """End leases nobody asks about any more, and forget those that ended long ago."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT frontier_sweep_leases(%s, %s)", [lost_before, forget_before])


def earliest_due_seconds() -> float | None:
    """In how many seconds a host with work is free; 0 if one is now; None if there is no work at all."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "earliest_due"))
        row = cursor.fetchone()
    return max(0.0, float(row[0])) if row else None


def hosts_with_work(*, at_most: int) -> int:
    """Free, resting or held; counted only as far as told."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "hosts_with_work"), {"at_most": at_most})
        return int(cursor.fetchone()[0])


def forget_learned() -> None:
    """Shares of jobs that are done, and latencies too old to be asked for."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "forget_shares"))
        cursor.execute("DELETE FROM frontier_reach WHERE measured_at < now() - interval '1 day'")


def take_back(*, node: uuid.UUID, guard_seconds: float) -> int:
    """A node left: its hosts go to others once it cannot be fetching any more. Returns how many those are.

    What it brings before then is still taken.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            named_sql("ronda.frontier", "take_back"), {"node": node, "guard_seconds": guard_seconds}
        )
        return int(cursor.rowcount)
