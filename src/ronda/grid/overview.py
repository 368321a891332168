"""The grid at this moment: what waits, who could fetch it, and which of the two holds the other up."""

from __future__ import annotations

import uuid
from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.frontier.blocks import Claimant
from ronda.frontier.models import Lease
from ronda.frontier.waiting import Waiting, has_work_for, waiting_now
from ronda.grid import listening, minutes
from ronda.grid.models import AWAY_AFTER, MinuteCount, Node
from ronda.grid.presence import ready

WATCHERS = (Role.DIRECTOR, Role.CONTRIBUTOR, Role.CLIENT)
OUTCOMES_OF = timedelta(hours=1)
# An idle node takes about so many free hosts at its next asking. If more stand there, idle is who may not have them: a
# node that is resting, or new, or avoided by hosts it could not reach.
HOSTS_TAKEN = 50
TRUST_ASKED = 20


class Limit(StrEnum):
    """What would have to be more for more to be fetched."""

    NOTHING = "nothing is queued"
    NO_NODES = "no node is present"
    NODES = "nodes"
    OTHER_NODES = "nodes of a country or person that is not present"
    HOSTS = "hosts"


@dataclass(frozen=True)
class GridNow:
    """`urls_per_second` is that of the last minutes; the ceiling is what politeness allows. `is_for_others`: what could
    be asked for now is not for any node that is free."""

    waiting: Waiting
    nodes_present: int
    nodes_idle: int
    urls_per_second: float
    is_for_others: bool = False

    @property
    def has_ceiling(self) -> bool:
        """The rate is that of the last minutes, the ceiling that of this moment: hosts may be done or resting since."""
        return self.waiting.ceiling >= self.urls_per_second

    @property
    def limit(self) -> Limit:
        limit = limit_of(self.waiting, self.nodes_present, self.nodes_idle)
        # All that waits is free: it is no host's fault.
        is_free = limit in (Limit.HOSTS, Limit.NODES) and self.waiting.due == self.waiting.hosts
        is_nobodys = is_free and self.is_for_others
        return Limit.OTHER_NODES if is_nobodys else limit


@dataclass(frozen=True)
class NodeNow:
    """A node, what it holds, and how fast it has been lately."""

    node: Node
    hosts_held: int
    urls_per_minute: float


def limit_of(waiting: Waiting, nodes_present: int, nodes_idle: int) -> Limit:
    """Hosts, unless more of them are free than idle nodes take when they ask next: then another node would help."""
    if not waiting.queued:
        return Limit.NOTHING
    if not nodes_present:
        return Limit.NO_NODES
    return Limit.NODES if waiting.due > nodes_idle * HOSTS_TAKEN else Limit.HOSTS


def grid_now(*, actor: Person | None) -> GridNow:
    require(actor, *WATCHERS)
    present = set(_present().values_list("pk", flat=True))
    # One that is paused or rests takes no work, however free it is.
    busy = set(_held().values_list("node", flat=True).distinct())
    free_to_ask = list(ready().select_related("owner"))
    idle = [node for node in free_to_ask if node.pk not in busy]
    waiting = waiting_now()
    return GridNow(
        waiting=waiting,
        nodes_present=len(present),
        nodes_idle=len(idle),
        urls_per_second=minutes.urls_per_second(),
        is_for_others=bool(idle and waiting.due)
        and not _is_for_some(idle, [node.pk for node in free_to_ask]),
    )


def _is_for_some(idle: list[Node], present: list[uuid.UUID]) -> bool:
    """Some URLs are for trusted nodes only. Who is trusted takes a while to find out: asked last, and of a few."""
    everybody = [Claimant(node.pk, node.owner_id, node.country) for node in idle]
    if has_work_for(everybody, present=present):
        return True
    few = zip(everybody, idle[:TRUST_ASKED], strict=False)
    trusted = [replace(one, is_trusted=True) for one, node in few if listening.terms_for(node).is_trusted]
    return has_work_for(trusted, present=present)


def outcomes(*, actor: Person | None) -> Counter[str]:
    """URLs of the last hour by what became of them: classes of status, refused, reasons of failures."""
    require(actor, *WATCHERS)
    return minutes.outcomes_since(timezone.now() - OUTCOMES_OF)


def nodes_now(*, actor: Person | None, most: int) -> list[NodeNow]:
    """The nodes last seen: a contributor's own, all for a director."""
    person = require(actor, *WATCHERS)
    found = Node.objects.filter(removed_at=None).select_related("owner", "standing").order_by("-seen_at")
    return with_work(list((found if person.has_role(Role.DIRECTOR) else found.filter(owner=person))[:most]))


def with_work(nodes: list[Node]) -> list[NodeNow]:
    keys = [node.pk for node in nodes]
    held = dict(_held().filter(node__in=keys).values_list("node").annotate(Count("pk")))
    since = timezone.now() - minutes.RECENT
    urls: dict[uuid.UUID, int] = dict(
        MinuteCount.objects.filter(node_id__in=keys, minute__gte=since)
        .values_list("node_id")
        .annotate(Sum("urls"))
    )
    length = minutes.RECENT / minutes.MINUTE
    return [NodeNow(node, held.get(node.pk, 0), urls.get(node.pk, 0) / length) for node in nodes]


def _present() -> QuerySet[Node]:
    return Node.objects.filter(seen_at__gt=timezone.now() - AWAY_AFTER, removed_at=None)


def _held() -> QuerySet[Lease]:
    return Lease.objects.filter(expires_at__gt=timezone.now())
