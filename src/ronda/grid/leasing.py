"""A node asks for work: hosts that are free now, minus what robots.txt forbids."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.frontier import robots
from ronda.frontier import services as frontier
from ronda.frontier.blocks import BlockSize, Claimant, Completion, HostReport, LeasedHost
from ronda.frontier.models import Host, RobotsState
from ronda.frontier.policies import HOSTS_PER_ADDRESS, pace_now
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.grid.errors import NoSuchNode
from ronda.grid.models import Node
from ronda.grid.policies import BLOCK_URLS, LEASE_SECONDS, WAIT_SECONDS
from ronda.policies.queries import value_of

# The longest one fetch may take, and the skew of two clocks: so long after a lease its node may still be fetching.
GUARD_SECONDS = 130
BUSY_SECONDS = 10
COME_BACK_JITTER = 0.5
ROBOTS_PREFIX = "robots-"


@dataclass(frozen=True)
class Work:
    """What a node is to do. Without hosts: nothing; ask again later."""

    block: uuid.UUID
    hosts: list[LeasedHost]
    lease_seconds: float
    come_back_seconds: float


def lease_block(*, actor: Person | None, node_id: uuid.UUID, slots: int) -> Work:
    """Reserve hosts for the node and say what to fetch there."""
    node = note_presence(actor=actor, node_id=node_id)
    lease_seconds = float(value_of(LEASE_SECONDS))
    block = uuid.uuid4()
    with transaction.atomic():
        hosts = frontier.claim(
            claimant=Claimant(node.pk, node.owner_id, node.country),
            block=block,
            size=_size(slots, lease_seconds),
            pace=pace_now(),
            hosts_per_address=int(value_of(HOSTS_PER_ADDRESS)),
        )
        allowed = _without_forbidden(node.pk, block, hosts)
    # Hosts that gave nothing but refusals: there may be others, ask again at once.
    come_back = 0.0 if hosts else _jittered(float(value_of(WAIT_SECONDS)))
    return Work(block, allowed, lease_seconds, come_back)


def note_presence(*, actor: Person | None, node_id: uuid.UUID) -> Node:
    owner = require(actor, Role.CONTRIBUTOR)
    node = Node.objects.filter(pk=node_id, owner=owner).first()
    if node is None:
        raise NoSuchNode()
    Node.objects.filter(pk=node.pk).update(seen_at=timezone.now())
    return node


def _size(slots: int, lease_seconds: float) -> BlockSize:
    urls = int(value_of(BLOCK_URLS))
    return BlockSize(
        hosts=min(urls, slots * 8),
        urls=urls,
        lease_seconds=lease_seconds,
        guard_seconds=GUARD_SECONDS,
        busy_seconds=min(BUSY_SECONDS, lease_seconds / 2),
    )


def _jittered(seconds: float) -> float:
    """A thousand nodes must not all come back in the same second."""
    return seconds * random.uniform(1 - COME_BACK_JITTER, 1 + COME_BACK_JITTER)  # noqa: S311


def _without_forbidden(node: uuid.UUID, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
    """Decided here, not on the node: all nodes obey the same rules, whatever release they run."""
    known = Host.objects.filter(pk__in=[host.host_id for host in hosts]).in_bulk()
    refused: dict[int, str] = {}
    emptied: list[LeasedHost] = []
    allowed: list[LeasedHost] = []
    for host in hosts:
        kept = []
        for request in host.requests:
            refusal = _refusal(known[host.host_id], request.url)
            if request.id is not None and refusal:
                refused[request.id] = refusal
            else:
                kept.append(request)
        host.requests = kept
        (allowed if kept else emptied).append(host)
    if refused:
        _end_refused(node, block, refused, emptied)
    return allowed


def _refusal(host: Host, url: str) -> str:
    match host.robots_state:
        case RobotsState.RULES:
            return str(robots.refusal_of(host.robots_text, url) or "")
        case RobotsState.UNREACHABLE:
            return "refused by robots.txt: it answers with an error, so nothing is allowed"
    return ""


def _end_refused(
    node: uuid.UUID, block: uuid.UUID, refused: dict[int, str], emptied: list[LeasedHost]
) -> None:
    """Refused URLs end here. A host with nothing else to fetch was not asked anything: it is free again at once."""
    ended = frontier.complete(
        completion=Completion(
            node=node,
            block=block,
            done=list(refused),
            retries=[],
            hosts=[HostReport(host.host_id, 0.0) for host in emptied],
        )
    )
    tell(Ended(request, Outcome(OutcomeState.REFUSED, reason=refused[request.id])) for request in ended)
