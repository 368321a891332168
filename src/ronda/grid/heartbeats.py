"""Signs of life of nodes at work: what they hold they keep, and hear at once when it is wanted no longer.

A node that holds something and has nothing to say is kept, like one that waits for work, until there is news for it.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import BoundedSemaphore

from ronda.accounts.models import Person
from ronda.frontier import arrivals, leases
from ronda.frontier.blocks import Extension
from ronda.frontier.queries import unwanted_of
from ronda.grid import listening
from ronda.grid.assignments import ROBOTS_PREFIX
from ronda.grid.leasing import MOST_KEPT, PAUSED, Waiting, let_go_of_connection
from ronda.grid.models import Node
from ronda.grid.policies import LEASE_SECONDS, guard_seconds
from ronda.grid.services import NodeState, note_worker, worker_again
from ronda.policies.queries import value_of

# A block may be extended this often; a node that is still at it after that is stuck.
MOST_LEASES = 10
# One nobody knows yet has one more lease for what it holds, and then others shall try.
MOST_LEASES_UNKNOWN = 2
# All who are kept are called at once; so many of them take a connection at a time.
_looking = BoundedSemaphore(4)


@dataclass(frozen=True)
class News:
    """Why a node is to hold nothing, if so, and what of what it holds it need not begin any more."""

    rest_because: str = ""
    unwanted: tuple[str, ...] = ()

    @cached_property
    def token(self) -> str:
        """By which a node says what it has heard."""
        said = "\n".join([self.rest_because, *sorted(self.unwanted)])
        return hashlib.blake2b(said.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Held:
    """What a node still holds of the blocks it named, for how many seconds each, and what is new."""

    blocks: dict[uuid.UUID, float]
    news: News = field(default_factory=News)


def take_heartbeat(
    *,
    actor: Person | None,
    node_id: uuid.UUID,
    blocks: Sequence[uuid.UUID],
    state: NodeState,
    heard: str = "",
    waiting: Waiting | None = None,
) -> Held:
    """The node is at work: what it holds, it keeps for another lease.

    `waiting`: it is kept as long as there is nothing but what it has `heard`.
    """
    called = arrivals.holders.count
    node = note_worker(actor=actor, node_id=node_id, state=state)
    held = _extended(node, blocks) if blocks else {}
    news = _news_for(node)
    if waiting and len(arrivals.holders) < MOST_KEPT:
        news = _next_news(node, news, heard, waiting, called)
    return Held(held, news)


def _next_news(node: Node, news: News, heard: str, waiting: Waiting, called: int) -> News:
    goes_at = time.monotonic() + waiting.seconds
    while news.token == heard and (left := goes_at - time.monotonic()) > 0:
        let_go_of_connection()
        arrivals.holders.wait(since=called, seconds=left)
        if waiting.is_over() or arrivals.holders.is_closed:
            break
        called = arrivals.holders.count
        with _looking:
            news = _news_for(worker_again(node))
            let_go_of_connection()
    return news


def _extended(node: Node, blocks: Sequence[uuid.UUID]) -> dict[uuid.UUID, float]:
    is_known = listening.terms_for(node).most_urls is None
    extension = Extension(
        lease_seconds=float(value_of(LEASE_SECONDS)),
        guard_seconds=guard_seconds(),
        most_leases=MOST_LEASES if is_known else MOST_LEASES_UNKNOWN,
    )
    return leases.extend(node=node.pk, blocks=blocks, extension=extension)


def _news_for(node: Node) -> News:
    unwanted = (str(number) if number else f"{ROBOTS_PREFIX}{host}" for number, host in unwanted_of(node.pk))
    rest_because = PAUSED if node.paused_at else listening.terms_for(node).refusal
    return News(rest_because, tuple(unwanted))
