"""What can be asked about trust."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.grid import fetches
from ronda.grid.errors import NoSuchNode
from ronda.grid.models import FetchAnswer, Node
from ronda.grid.queries import nodes
from ronda.grid.voiding import COUNTING
from ronda.trust import rules, standings
from ronda.trust.errors import NoSuchAnswer
from ronda.trust.models import Canary, Check, CheckState, Incident, Standing
from ronda.trust.rules import Mark


@dataclass(frozen=True)
class NodeTrust:
    """A node's score as people see it. `is_alone`: nobody else is there to compare with.

    `beside`: another one of the same person that is in quarantine, so that this one gets no work either.
    """

    node: Node
    standing: Standing
    incidents: list[Incident]
    probe_share: float
    replica_share: float
    is_alone: bool
    beside: Node | None


@dataclass(frozen=True)
class TrustOverview:
    states: dict[str, int]
    canaries: list[Canary]
    checks_waiting: int


def trust_of(*, actor: Person | None, node_id: uuid.UUID) -> NodeTrust:
    """Of one's own nodes; an administrator, of everybody's, also of removed ones: their quarantine stays in force."""
    node = nodes(actor=actor).filter(pk=node_id).first()
    if node is None and actor and actor.is_administrator:
        node = Node.objects.filter(pk=node_id).first()
    if node is None:
        raise NoSuchNode()
    standing = Standing.objects.filter(node=node).first() or Standing(node=node)
    score = standings.score_of(standing)
    others = {owner for owner, _country in standings.present_people()} - {node.owner_id}
    return NodeTrust(
        node=node,
        standing=standing,
        incidents=list(node.incidents.select_related("by").order_by("-pk")[:20]),
        probe_share=rules.probe_rate(score),
        replica_share=rules.replica_rate(score),
        is_alone=not others,
        beside=next((one.node for one in standings.caught_of(node.owner_id) if one.node_id != node.pk), None),
    )


def overview(*, actor: Person | None) -> TrustOverview:
    require(actor, Role.ADMINISTRATOR)
    counted = Standing.objects.values_list("state").annotate(number=Count("pk"))
    return TrustOverview(
        states=dict(counted),
        canaries=list(Canary.objects.filter(url__in=settings.RONDA.canaries)),
        checks_waiting=Check.objects.filter(Q(state="waiting") | Q(state="ready")).count(),
    )


def reportable_answers(*, actor: Person | None, fetch_id: uuid.UUID) -> QuerySet[FetchAnswer]:
    """Answers of a fetch that a node brought: the only ones that somebody could have made up."""
    fetch = fetches.fetch(actor=actor, fetch_id=fetch_id)
    return fetch.answers.filter(state__in=COUNTING, node__isnull=False).select_related("node")


def reportable_answer(*, actor: Person | None, fetch_id: uuid.UUID, answer_id: int) -> FetchAnswer:
    found = reportable_answers(actor=actor, fetch_id=fetch_id).filter(pk=answer_id).first()
    if found is None:
        raise NoSuchAnswer()
    return found


def unfounded_reports_of(client: Person) -> int:
    """Within a day: looked into, and the answer stood."""
    lately = Check.objects.filter(reported_by=client, created_at__gt=timezone.now() - timedelta(days=1))
    return lately.filter(state=CheckState.DECIDED).exclude(mark=Mark.OUTVOTED.value).count()


def reports(*, actor: Person | None, fetch_id: uuid.UUID) -> QuerySet[Check]:
    fetch = fetches.fetch(actor=actor, fetch_id=fetch_id)
    return Check.objects.filter(answer__fetch=fetch).select_related("answer")
