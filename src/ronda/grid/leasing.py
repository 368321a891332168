"""A node asks for work: hosts that are free now, minus what robots.txt forbids."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from django.db import connection, transaction

from ronda.accounts.models import Person
from ronda.frontier import arrivals, glances, leases
from ronda.frontier.blocks import BlockSize, Claimant, Completion, Glance, HostReport, LeasedHost
from ronda.frontier.places import continent_of
from ronda.frontier.policies import HOSTS_PER_ADDRESS, pace_now
from ronda.frontier.politeness import Pace
from ronda.grid import listening
from ronda.grid.block_size import block_size, fair_share, worth_a_block
from ronda.grid.cut_off import is_uncapped
from ronda.grid.listening import Terms
from ronda.grid.models import Node
from ronda.grid.policies import LEASE_SECONDS, LONGEST_FETCH_SECONDS, WAIT_SECONDS
from ronda.grid.presence import at_work, preference_now
from ronda.grid.robots_refusals import without_forbidden
from ronda.grid.services import NodeState, note_worker, worker_again
from ronda.policies.queries import read_at_once, value_of

# What a node may hold at a time: one block in work, one to go on with, one on its way back, and one to spare.
BLOCKS_HELD = 4
# Of one nobody knows yet: one in work, one on its way back.
BLOCKS_HELD_UNKNOWN = 2
FULL_SECONDS = 2.0
FULL = "it has enough in hand, or what it brought is still to be compared"
PAUSED_SECONDS = 15.0
COME_BACK_JITTER = 0.5
# Nodes kept until there is work; each takes a thread, and no connection. More are told when to come back.
MOST_KEPT = 64
SOONEST_SECONDS = 0.2
# However many nodes wait for work that is near, all together ask no more often than this.
MOST_ASKS_A_SECOND = 50
REFUSED_SECONDS = 300.0
PAUSED = "it is paused on the server"
Claim = Callable[..., list[LeasedHost]]


@dataclass(frozen=True)
class Work:
    """What a node is to do. Without hosts: nothing, and if it is not for want of work, why; ask again later."""

    block: uuid.UUID
    hosts: list[LeasedHost]
    lease_seconds: float
    longest_fetch_seconds: float
    come_back_seconds: float
    pace: Pace
    because: str = ""

    @property
    def is_for_now(self) -> bool:
        """There is something to do, or a reason to go away."""
        return bool(self.hosts or self.because) or not self.come_back_seconds


@dataclass(frozen=True)
class Waiting:
    """How long a node is ready to wait for an answer. `is_over`: it has hung up."""

    seconds: float
    is_over: Callable[[], bool] = lambda: False


def lease_block(
    *,
    actor: Person | None,
    node_id: uuid.UUID,
    slots: int,
    block: uuid.UUID | None = None,
    state: NodeState | None = None,
    waiting: Waiting | None = None,
) -> Work:
    """Reserve hosts for the node and say what to fetch there. Where there is nothing, it is kept until there is.

    A node names the block itself, so that it can give back one whose answer never reached it.
    """
    block = block or uuid.uuid4()
    called = arrivals.line.count
    node = note_worker(actor=actor, node_id=node_id, state=state)
    if waiting is None or len(arrivals.line) >= MOST_KEPT:
        return _work_for(node, slots, block)
    work = _work_for(node, slots, block, is_kept=True)
    goes_at = time.monotonic() + min(work.come_back_seconds, waiting.seconds)
    while not work.is_for_now and (left := goes_at - time.monotonic()) > 0:
        let_go_of_connection()
        arrivals.line.wait(since=called, seconds=left, who=node.pk)
        if waiting.is_over() or arrivals.line.is_closed:
            return work
        called = arrivals.line.count
        with arrivals.line.look_alone():
            if glances.has_free_work(node.pk):
                node = worker_again(node)
                work = _work_for(node, slots, block, is_kept=True)
    if work.hosts and waiting.is_over():
        _give_back(node, work)
    return work if work.is_for_now else replace(work, come_back_seconds=0.0)


def _give_back(node: Node, work: Work) -> None:
    """It hung up before it heard of them, so nobody was asked anything: they are free at once."""
    reports = [HostReport(host.host_id, 0.0) for host in work.hosts if host.lease_id]
    leases.complete(completion=Completion(node.pk, work.block, [], [], reports))


def let_go_of_connection() -> None:
    """Others need it while we wait. Inside a transaction, as in tests, it is not ours to give."""
    if not connection.in_atomic_block:
        connection.close()


def _work_for(node: Node, slots: int, block: uuid.UUID, *, is_kept: bool = False) -> Work:
    with read_at_once():
        return _work_now(node, slots, block, is_kept)


def _work_now(node: Node, slots: int, block: uuid.UUID, is_kept: bool) -> Work:
    lease_seconds = float(value_of(LEASE_SECONDS))
    longest, pace = float(value_of(LONGEST_FETCH_SECONDS)), pace_now()
    if node.paused_at:
        return Work(block, [], lease_seconds, longest, _jittered(PAUSED_SECONDS), pace, PAUSED)
    terms = listening.terms_for(node)
    if terms.refusal:
        return Work(block, [], lease_seconds, longest, _jittered(REFUSED_SECONDS), pace, terms.refusal)
    size = block_size(node, slots, lease_seconds, terms.most_urls)
    most, held = _may_hold(node, size.urls, terms.most_urls)
    room = most - held
    if room <= 0:
        # A reason makes the node rest, and give back what it holds: only where there is nothing to give back.
        return Work(block, [], lease_seconds, longest, _jittered(FULL_SECONDS), pace, "" if held else FULL)
    size = replace(size, urls=min(size.urls, room), hosts=min(size.hosts, room))
    glance = glances.glance(node.pk)
    hosts, allowed = _given(node, block, size, glance, partial(_claim, node, block, size, slots, terms, pace))
    # Hosts that gave nothing but refusals: there may be others, ask again at once.
    come_back = 0.0
    if not hosts:
        # What is free is not for this node, or not yet: what will be its own may be free sooner than the usual wait.
        due = glances.next_due_seconds() if glance.is_free else glance.due_seconds
        come_back = _come_back_seconds(due, is_kept)
    return Work(block, allowed, lease_seconds, longest, come_back, pace)


def _may_hold(node: Node, urls: int, most_urls: int | None) -> tuple[int, int]:
    """How many URLs it may hold, and does. Those whom nobody knows yet share that with all of the same person's:
    anybody can take another name."""
    if most_urls is None:
        return BLOCKS_HELD * urls, leases.held_by(node.pk)
    return BLOCKS_HELD_UNKNOWN * most_urls, leases.held_beside(node.pk, node.owner_id)


def _claim(
    node: Node,
    block: uuid.UUID,
    size: BlockSize,
    slots: int,
    terms: Terms,
    pace: Pace,
    *,
    is_copying: bool = False,
) -> list[LeasedHost]:
    """As the nodes and hosts are at this moment."""
    preference = preference_now()
    return leases.claim(
        claimant=Claimant(
            node.pk,
            node.owner_id,
            node.country,
            continent_of(node.country),
            terms.is_trusted,
            is_uncapped(node),
        ),
        block=block,
        size=fair_share(
            size,
            slots=slots,
            nodes=len(preference.nodes),
            least_urls=worth_a_block(node.rate_urls_per_second),
        ),
        pace=pace,
        hosts_per_address=int(value_of(HOSTS_PER_ADDRESS)),
        preference=preference,
        is_copying=is_copying,
    )


def _given(
    node: Node, block: uuid.UUID, size: BlockSize, glance: Glance, claim: Claim
) -> tuple[list[LeasedHost], list[LeasedHost]]:
    """The hosts that were free, and those of them that leave the node something to fetch, with what is mixed in.

    Most who ask in vain would find nothing free, which is seen at a glance. What stragglers hold comes last.
    """
    if glance.is_free:
        hosts, allowed = _reserved(node, block, claim)
        if hosts:
            # There may be more, for others.
            arrivals.line.call(1)
            return hosts, allowed
    if glances.has_stragglers(seconds=size.straggler_seconds):
        return _reserved(node, block, partial(claim, is_copying=True))
    return [], []


def _reserved(node: Node, block: uuid.UUID, claim: Claim) -> tuple[list[LeasedHost], list[LeasedHost]]:
    with transaction.atomic():
        hosts = claim()
        allowed = without_forbidden(node.pk, block, hosts)
        if allowed:
            allowed += listening.mixed_in(node, block, allowed)
            random.shuffle(allowed)
    return hosts, allowed


def _jittered(seconds: float) -> float:
    return seconds * random.uniform(1 - COME_BACK_JITTER, 1 + COME_BACK_JITTER)  # noqa: S311


def _come_back_seconds(due: float | None, is_kept: bool) -> float:
    """When the next host is free, or after the usual wait if that is sooner, or if what is free is for others.

    A thousand nodes must not all come back in the same second, and none before the time. Who is kept will be called.
    """
    wait = float(value_of(WAIT_SECONDS))
    if due and due < wait:
        return max(SOONEST_SECONDS, due) * random.uniform(1, 1 + COME_BACK_JITTER)  # noqa: S311
    if not is_kept and listening.is_work_near():
        wait = min(wait, max(SOONEST_SECONDS, at_work().count() / MOST_ASKS_A_SECOND))
    return _jittered(wait)
