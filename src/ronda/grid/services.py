"""A node makes itself known and gives signs of life; its contributor pauses or removes it."""

from __future__ import annotations

import re
import uuid
from dataclasses import asdict, dataclass
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.database.named_sql import named_sql
from ronda.errors import InvalidInput
from ronda.frontier import arrivals, leases
from ronda.frontier.places import country_of, is_country, is_public
from ronda.grid import queries
from ronda.grid.errors import NodeRemoved, NodeTooOld, NoSuchNode
from ronda.grid.models import AWAY_AFTER, Node
from ronda.grid.policies import guard_seconds

# Older ones know no signs of life, and break off fetches without saying so.
OLDEST_RELEASE = (0, 1)
# Within this, one more sign of life says nothing new.
HEARD_JUST_NOW = timedelta(seconds=1)


@dataclass(frozen=True)
class NodeState:
    """What a node says of itself. `resting_because`: why it asks for no work."""

    slots: int = 0
    pending: int = 0
    urls_per_second: float = 0.0
    doing: str = ""
    resting_because: str = ""


@dataclass(frozen=True)
class Caps:
    """What its owner lets a node take of one answer; none: as much as the server."""

    response_bytes: int | None = None
    response_seconds: float | None = None


UNCAPPED = Caps()


def register_node(
    *,
    actor: Person | None,
    name: str,
    version: str,
    system: str,
    country: str | None = None,
    address: str = "",
    caps: Caps = UNCAPPED,
) -> Node:
    """The same name of the same person is the same node: registering again is harmless, and ends a removal.

    Its country is that of the address it speaks from. Only where that tells nothing, as in a network of one's own, its
    word counts; if neither tells, what is known of it stays.
    """
    owner = require(actor, Role.CONTRIBUTOR)
    if not name or not name.isprintable():
        raise InvalidInput("Give the node a printable name.", field="name")
    if country and not is_country(country):
        raise InvalidInput("A country is two capital letters, like CL or DE.", field="country")
    refuse_old_release(version)
    told = {"version": version, "system": system, "seen_at": timezone.now(), "removed_at": None}
    told |= asdict(caps)
    if found := country_of(address) or (country if not is_public(address) else ""):
        told["country"] = found
    node, _ = Node.objects.update_or_create(owner=owner, name=name, defaults=told)
    return node


def refuse_old_release(version: str) -> None:
    """A release that cannot be read is one that somebody makes: welcome."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers and (int(numbers[1]), int(numbers[2])) < OLDEST_RELEASE:
        wanted = ".".join(map(str, OLDEST_RELEASE))
        raise NodeTooOld(
            f"This is release {version} of ronda-node, and this Ronda wants {wanted} or newer.",
            hint="Run `pip install --upgrade ronda-node` and join again.",
        )


def note_presence(*, actor: Person | None, node_id: uuid.UUID, state: NodeState | None = None) -> Node:
    """The node of that id, of that person, who is heard from now. A removed one too: it may bring what it has."""
    owner = require(actor, Role.CONTRIBUTOR)
    node = Node.objects.filter(pk=node_id, owner=owner).first()
    if node is None:
        raise NoSuchNode()
    node.owner = owner  # known: nobody needs to ask for it again
    _note_seen(node, state)
    return node


def _note_seen(node: Node, state: NodeState | None) -> None:
    now = timezone.now()
    if state is None:
        if now - node.seen_at > HEARD_JUST_NOW:
            Node.objects.filter(pk=node.pk).update(seen_at=now)
    elif connection.in_atomic_block:  # others may have to wait for the disk
        Node.objects.filter(pk=node.pk).update(seen_at=now, **asdict(state))
    else:
        with connection.cursor() as cursor:
            arguments = {"node": node.pk, "seen_at": now, **asdict(state)}
            cursor.execute(named_sql("ronda.grid", "note_presence"), arguments)


def note_worker(*, actor: Person | None, node_id: uuid.UUID, state: NodeState | None = None) -> Node:
    """The same, of a node that wants work or keeps it."""
    node = note_presence(actor=actor, node_id=node_id, state=state)
    if node.removed_at:
        raise NodeRemoved()
    refuse_old_release(node.version)
    return node


def worker_again(node: Node) -> Node:
    """The node as it is after it waited a while: it may have been paused or removed."""
    now = Node.objects.filter(pk=node.pk, removed_at=None).first()
    if now is None:
        raise NodeRemoved()
    now.owner = node.owner
    return now


def note_left(*, actor: Person | None, node_id: uuid.UUID) -> None:
    """It was switched off in order: nobody waits a minute to see that it is not there. Once it speaks again, it is."""
    node = note_presence(actor=actor, node_id=node_id)
    Node.objects.filter(pk=node.pk).update(
        seen_at=timezone.now() - AWAY_AFTER, doing="", pending=0, urls_per_second=0.0
    )
    leases.take_back(node=node.pk, guard_seconds=guard_seconds())


def pause_node(*, actor: Person | None, node_id: uuid.UUID) -> Node:
    """It gets no work until resumed, and gives back what it has not begun."""
    node = queries.node(actor=actor, node_id=node_id)
    node.paused_at = node.paused_at or timezone.now()
    node.save(update_fields=["paused_at"])
    arrivals.tell_holders()
    return node


def resume_node(*, actor: Person | None, node_id: uuid.UUID) -> Node:
    node = queries.node(actor=actor, node_id=node_id)
    node.paused_at = None
    node.save(update_fields=["paused_at"])
    return node


def remove_node(*, actor: Person | None, node_id: uuid.UUID) -> None:
    """It ends as soon as it hears of it. What it did stays on record."""
    node = queries.node(actor=actor, node_id=node_id)
    node.removed_at, node.paused_at = timezone.now(), None
    node.save(update_fields=["removed_at", "paused_at"])
    leases.take_back(node=node.pk, guard_seconds=guard_seconds())
    arrivals.tell_holders()
