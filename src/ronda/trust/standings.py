"""Scores of nodes between the rules and the database, and the quarantine."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import asdict

from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from ronda.database.named_sql import named_sql
from ronda.grid.models import AWAY_AFTER, Node
from ronda.trust import rules
from ronda.trust.models import CheckCopy, CheckState, Incident, Standing, TrustState
from ronda.trust.rules import Mark, Score, Vote

COUNTS = (
    "replicated", "checked", "passed", "failed", "unclear", "unreached", "consecutive_valid", "caught_by",
)  # fmt: skip
# Kept in English, shown in the reader's language.
REASONS = {
    "probe": _("It answered a page with something that does not stand there."),
    "votes": _("Its answers differ from what several other people's machines get for the same pages."),
    "failures": _("It says that pages cannot be had which several other people's machines get."),
}


def score_of(standing: Standing | None) -> Score:
    if standing is None:
        return Score()
    votes = tuple(Vote(Mark(vote["mark"]), vote["host"], tuple(vote["accusers"])) for vote in standing.votes)
    return Score(votes=votes, **{name: getattr(standing, name) for name in COUNTS})


def locked(nodes: Iterable[uuid.UUID]) -> dict[uuid.UUID, Standing]:
    """The standings of these nodes, not to change before the transaction ends; always in the same order."""
    wanted = sorted(set(nodes))
    Standing.objects.bulk_create([Standing(node_id=node) for node in wanted], ignore_conflicts=True)
    found = Standing.objects.filter(pk__in=wanted).order_by("pk").select_for_update()
    return {standing.node_id: standing for standing in found}


def keep(standing: Standing, score: Score) -> None:
    """Write a score down; a node that is caught by it goes into quarantine here and now."""
    if score.caught_by and not standing.caught_by:
        standing.quarantined_at = timezone.now()
        standing.reason = REASONS[score.caught_by]
        standing.is_to_be_voided = True
        Incident.objects.create(node_id=standing.node_id, kind=Incident.Kind.CAUGHT, reason=standing.reason)
    for name in COUNTS:
        setattr(standing, name, getattr(score, name))
    standing.votes = [asdict(vote) for vote in score.votes]
    standing.state = TrustState(rules.state_of(score).value)
    standing.save()


def marks_now() -> tuple[int, int]:
    """How far the ids of answers and captures have come."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.trust", "marks"))
        answers, captures = cursor.fetchone()
    return int(answers), int(captures)


def undecided(node: Node) -> int:
    """How many of its answers wait to be compared, if somebody is there whose word would count."""
    present = Node.objects.filter(seen_at__gt=timezone.now() - AWAY_AFTER).exclude(owner=node.owner_id)
    others = set(present.values_list("country", "standing__state"))
    near = {other for other in others if other[0] == node.country} or others
    if not any(state == TrustState.TRUSTED for _country, state in near):
        return 0
    waiting = CheckCopy.objects.filter(of__state__in=(CheckState.WAITING, CheckState.READY), of__answer=None)
    first = waiting.order_by("of_id", "pk").distinct("of_id").values("pk")
    return CheckCopy.objects.filter(pk__in=first, node=node).count()


def present_people() -> set[tuple[int, str]]:
    """Whose nodes could fetch something now, and in which country."""
    present = Node.objects.filter(seen_at__gt=timezone.now() - AWAY_AFTER)
    quarantined = Standing.objects.filter(state=TrustState.QUARANTINED).values("node_id")
    return set(present.exclude(pk__in=quarantined).values_list("owner_id", "country"))
