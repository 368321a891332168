"""Scores of nodes between the rules and the database, and the quarantine."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from ronda.database.named_sql import named_sql
from ronda.frontier import arrivals
from ronda.grid.answer_records import UNAVAILABLE
from ronda.grid.leasing import FULL
from ronda.grid.models import Node
from ronda.grid.presence import at_work
from ronda.trust import rules
from ronda.trust.models import CheckCopy, CheckState, Incident, Standing, TrustState
from ronda.trust.rules import Mark, Score, Vote

COUNTS = (
    "replicated", "checked", "passed", "failed", "unclear", "unreached", "consecutive_valid", "agreed",
    "skipped", "luck", "caught_by",
)  # fmt: skip
# So long what one machine of a person left out is held against the others.
REMEMBERED_BESIDE = timedelta(days=7)
# Kept in English, shown in the reader's language.
REASONS = {
    "probe": _("It answered a page with something that does not stand there."),
    "votes": _("Its answers differ from what several other people's machines get for the same pages."),
    "skipped": _("It leaves out pages that would show whether it tells the truth, and brings the others."),
    "failures": _("It says that pages cannot be had which several other people's machines get."),
}

DOUBTS = {
    "skipped": _("It brings other URLs, but not the pages that would show whether it tells the truth."),
    "unreached": _("It could not reach the last pages that would show whether it tells the truth."),
    "votes": _("Some of its answers differ from what other people's machines get for the same pages."),
}


def score_of(standing: Standing | None) -> Score:
    if standing is None:
        return Score()
    votes = tuple(Vote(Mark(vote["mark"]), vote["host"], tuple(vote["accusers"])) for vote in standing.votes)
    return Score(votes=votes, **{name: getattr(standing, name) for name in COUNTS})


@dataclass(frozen=True)
class Family:
    """A node's score, with what the same person's other machines left out lately, and which are in quarantine."""

    score: Score
    caught: list[Standing]


def family_of(node: Node, own: Score | None = None) -> Family:
    """Asked with every lease and upload: one statement. Of the other machines, those that could matter."""
    lately = timezone.now() - REMEMBERED_BESIDE
    matters = Q(node=node) | Q(state=TrustState.QUARANTINED) | Q(luck__lt=1.0, node__seen_at__gt=lately)
    family = list(Standing.objects.filter(matters, node__owner=node.owner_id).select_related("node"))
    if own is None:
        own = score_of(next((standing for standing in family if standing.node_id == node.pk), None))
    beside = [one for one in family if one.node_id != node.pk and one.node.seen_at > lately]
    worst = min((one for one in beside if one.luck < own.luck), key=lambda one: one.luck, default=None)
    caught = [one for one in family if one.state == TrustState.QUARANTINED]
    return Family(rules.beside(own, [score_of(worst)] if worst else []), sorted(caught, key=_caught_at))


def score_beside(node: Node, own: Score | None = None) -> Score:
    """Its score, with what the same person's other machines left out lately."""
    return family_of(node, own).score


def caught_of(owner: int) -> list[Standing]:
    """A person's machines that are in quarantine, the longest first: while there is one, none of theirs gets work."""
    caught = Standing.objects.filter(node__owner=owner, state=TrustState.QUARANTINED)
    return list(caught.select_related("node").order_by("quarantined_at"))


def _caught_at(standing: Standing) -> datetime:
    return standing.quarantined_at or timezone.now()


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
        arrivals.tell_holders()
    elif not score.caught_by:
        standing.reason = DOUBTS.get(rules.doubt_of(score), "")
    for name in COUNTS:
        setattr(standing, name, getattr(score, name))
    standing.votes = [asdict(vote) for vote in score.votes]
    standing.state = TrustState(_state_of(standing, score).value)
    standing.save()


def _state_of(standing: Standing, score: Score) -> rules.State:
    """An administrator's own machines need nobody's word beside our own."""
    state = rules.state_of(score)
    is_proven = state is not rules.state_of(score, is_alone=True)
    is_own = is_proven and standing.node.owner.is_administrator
    return rules.state_of(score, is_alone=is_own)


def marks_now() -> tuple[int, int]:
    """How far the ids of answers and captures have come."""
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.trust", "marks"))
        answers, captures = cursor.fetchone()
    return int(answers), int(captures)


def vouch(standing: Standing) -> None:
    """A check was passed just now: what came before it is not taken back, and is to be paid."""
    standing.answer_mark, standing.capture_mark = marks_now()
    standing.vouched_at = timezone.now()


def vouch_until(standing: Standing, moment: datetime | None) -> None:
    """The same, of a check whose answer came later than what it vouches for."""
    if moment and (standing.vouched_at is None or standing.vouched_at < moment):
        standing.vouched_at = moment


def undecided(node: Node) -> int:
    """How many of its person's answers wait to be compared, if somebody is there whose word would count. Of machines
    that are trusted none: those wait for nothing."""
    if all(owner == node.owner_id for owner, _country in trusted_people()):
        return 0
    waiting = CheckCopy.objects.filter(of__state__in=(CheckState.WAITING, CheckState.READY), of__answer=None)
    first = waiting.order_by("of_id", "pk").distinct("of_id").values("pk")
    # A host that asks for rest is not asked soon: nobody is kept waiting for that.
    unproven = CheckCopy.objects.filter(pk__in=first, node__owner=node.owner_id).exclude(status=UNAVAILABLE)
    return unproven.exclude(node__standing__state=TrustState.TRUSTED).count()


def trusted_people() -> set[tuple[int, str]]:
    """Of those present, whose nodes there are trusted."""
    trusted = _ready().filter(standing__state=TrustState.TRUSTED)
    return set(trusted.values_list("owner_id", "country"))


def present_people() -> set[tuple[int, str]]:
    """Whose nodes could fetch something now, and in which country."""
    suspended = Standing.objects.filter(state=TrustState.QUARANTINED).values("node__owner")
    return set(_ready().exclude(owner__in=suspended).values_list("owner_id", "country"))


def _ready() -> QuerySet[Node]:
    """Who takes work. Not who is paused or rests: nothing may wait for them. But who rests because we told it to, as
    what it brought is still to be compared, will be back at once."""
    return at_work().filter(resting_because__in=("", FULL))
