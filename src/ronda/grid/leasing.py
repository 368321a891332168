"""A node asks for work: hosts that are free now, minus what robots.txt forbids."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlsplit

from django.db import transaction

from ronda.accounts.models import Person
from ronda.frontier import robots
from ronda.frontier import services as frontier
from ronda.frontier.blocks import Claimant, Completion, Extension, HostReport, LeasedHost
from ronda.frontier.models import Host, RobotsState
from ronda.frontier.places import continent_of
from ronda.frontier.policies import HOSTS_PER_ADDRESS, pace_now
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell
from ronda.grid import listening, minutes
from ronda.grid.block_size import block_size, fair_share
from ronda.grid.minutes import Amount
from ronda.grid.models import Node
from ronda.grid.policies import LEASE_SECONDS, LONGEST_FETCH_SECONDS, WAIT_SECONDS, guard_seconds
from ronda.grid.presence import at_work, preference_now
from ronda.grid.services import NodeState, note_worker
from ronda.policies.queries import value_of

# A block may be extended this often; a node that is still at it after that is stuck.
MOST_LEASES = 10
# One nobody knows yet has one more lease for what it holds, and then others shall try.
MOST_LEASES_UNKNOWN = 2
# What a node may hold at a time: one block in work, one to go on with, one on its way back, and one to spare.
BLOCKS_HELD = 4
# Of one nobody knows yet: one in work, one on its way back.
BLOCKS_HELD_UNKNOWN = 2
FULL_SECONDS = 2.0
FULL = "it has enough in hand, or what it brought is still to be compared"
PAUSED_SECONDS = 15.0
COME_BACK_JITTER = 0.5
SOONEST_SECONDS = 0.2
# However many nodes wait for work that is near, all together ask no more often than this.
MOST_ASKS_A_SECOND = 50
REFUSED_SECONDS = 300.0
PAUSED = "it is paused on the server"
ROBOTS_PREFIX = "robots-"
ROBOTS_UNREACHABLE = "refused by robots.txt: it answers with an error, so nothing is allowed"


@dataclass(frozen=True)
class Work:
    """What a node is to do. Without hosts: nothing, and if it is not for want of work, why; ask again later."""

    block: uuid.UUID
    hosts: list[LeasedHost]
    lease_seconds: float
    longest_fetch_seconds: float
    come_back_seconds: float
    because: str = ""


@dataclass(frozen=True)
class Held:
    """What a node still holds of its blocks, for how many seconds each. `rest_because`: it is to hold nothing."""

    blocks: dict[uuid.UUID, float]
    rest_because: str = ""


def lease_block(
    *,
    actor: Person | None,
    node_id: uuid.UUID,
    slots: int,
    block: uuid.UUID | None = None,
    state: NodeState | None = None,
) -> Work:
    """Reserve hosts for the node and say what to fetch there.

    A node names the block itself, so that it can give back one whose answer never reached it.
    """
    node = note_worker(actor=actor, node_id=node_id, state=state)
    lease_seconds = float(value_of(LEASE_SECONDS))
    longest = float(value_of(LONGEST_FETCH_SECONDS))
    block = block or uuid.uuid4()
    if node.paused_at:
        return Work(block, [], lease_seconds, longest, _jittered(PAUSED_SECONDS), PAUSED)
    terms = listening.terms_for(node)
    if terms.refusal:
        return Work(block, [], lease_seconds, longest, _jittered(REFUSED_SECONDS), terms.refusal)
    preference = preference_now()
    size = block_size(node, slots, lease_seconds, terms.most_urls)
    most = BLOCKS_HELD * size.urls if terms.most_urls is None else BLOCKS_HELD_UNKNOWN * terms.most_urls
    room = most - frontier.held_by(node.pk)
    if room <= 0:
        return Work(block, [], lease_seconds, longest, _jittered(FULL_SECONDS), FULL)
    size = replace(size, urls=min(size.urls, room), hosts=min(size.hosts, room))
    claim = partial(
        frontier.claim,
        claimant=Claimant(node.pk, node.owner_id, node.country, continent_of(node.country), terms.is_trusted),
        block=block,
        size=fair_share(size, slots=slots, nodes=len(preference.nodes)),
        pace=pace_now(),
        hosts_per_address=int(value_of(HOSTS_PER_ADDRESS)),
        preference=preference,
    )
    with transaction.atomic():
        hosts = claim() or claim(is_copying=True)
        allowed = _without_forbidden(node.pk, block, hosts)
        if allowed:
            allowed += listening.mixed_in(node, block, allowed)
            random.shuffle(allowed)
    # Hosts that gave nothing but refusals: there may be others, ask again at once.
    come_back = 0.0 if hosts else _come_back_seconds()
    return Work(block, allowed, lease_seconds, longest, come_back)


def take_heartbeat(
    *, actor: Person | None, node_id: uuid.UUID, blocks: Sequence[uuid.UUID], state: NodeState
) -> Held:
    """The node is at work: what it holds, it keeps for another lease."""
    node = note_worker(actor=actor, node_id=node_id, state=state)
    if not blocks:
        return Held({}, _reason_to_rest(node))
    is_known = listening.terms_for(node).most_urls is None
    extension = Extension(
        lease_seconds=float(value_of(LEASE_SECONDS)),
        guard_seconds=guard_seconds(),
        most_leases=MOST_LEASES if is_known else MOST_LEASES_UNKNOWN,
    )
    held = frontier.extend(node=node.pk, blocks=blocks, extension=extension)
    return Held(held, _reason_to_rest(node))


def _reason_to_rest(node: Node) -> str:
    return PAUSED if node.paused_at else listening.terms_for(node).refusal


def _jittered(seconds: float) -> float:
    return seconds * random.uniform(1 - COME_BACK_JITTER, 1 + COME_BACK_JITTER)  # noqa: S311


def _come_back_seconds() -> float:
    """When the next host is free, or after the usual wait if that is sooner, or if what is free is for others.

    A thousand nodes must not all come back in the same second, and none before the time.
    """
    wait = float(value_of(WAIT_SECONDS))
    due = frontier.earliest_due_seconds()
    if due and due < wait:
        return max(SOONEST_SECONDS, due) * random.uniform(1, 1 + COME_BACK_JITTER)  # noqa: S311
    if listening.is_work_near():
        wait = min(wait, max(SOONEST_SECONDS, at_work().count() / MOST_ASKS_A_SECOND))
    return _jittered(wait)


def _without_forbidden(node: uuid.UUID, block: uuid.UUID, hosts: list[LeasedHost]) -> list[LeasedHost]:
    """Decided here, not on the node: all nodes obey the same rules, whatever release they run."""
    known = Host.objects.filter(pk__in=[host.host_id for host in hosts]).in_bulk()
    refused: dict[int, Outcome] = {}
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
        host.robots = robots.rules_for_nodes(known[host.host_id].robots_text)
        (allowed if kept else emptied).append(host)
    if refused:
        _end_refused(node, block, refused, emptied)
    return allowed


def _refusal(host: Host, url: str) -> Outcome | None:
    """What a URL ends with that is not fetched. Whoever told so answers for it: if it was a lie, it is asked again."""
    told_by = host.robots_node
    match host.robots_state:
        case RobotsState.RULES if rule := robots.refusal_of(host.robots_text, url):
            return Outcome(OutcomeState.REFUSED, reason=str(rule), node=told_by)
        case RobotsState.UNREACHABLE if urlsplit(url).path != robots.PATH:
            return Outcome(OutcomeState.REFUSED, reason=ROBOTS_UNREACHABLE, node=told_by)
        case RobotsState.FAILED:
            return Outcome(OutcomeState.FAILED, reason=host.robots_failure)
    return None


def _end_refused(
    node: uuid.UUID, block: uuid.UUID, refused: dict[int, Outcome], emptied: list[LeasedHost]
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
    tell(Ended(request, refused[request.id]) for request in ended)
    counts = Counter(_counted_as(refused[request.id]) for request in ended)
    minutes.count(node_id=node, amounts={name: Amount(number) for name, number in counts.items()})


def _counted_as(outcome: Outcome) -> str:
    return minutes.REFUSED if outcome.state is OutcomeState.REFUSED else outcome.reason
