"""Visits are opened when their source is due or somebody asks, and cancelled by hand. `steps` does the rest."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.database.named_sql import named_sql
from ronda.frontier.robots_keeping import ask_robots_again
from ronda.policies.queries import value_of
from ronda.rounds import budget, pushing
from ronda.rounds.authority import source_to_change
from ronda.rounds.errors import NoLongerFollowed, NoVisitOpen, VisitEnding
from ronda.rounds.models import Signal, Source, SourceState, Version, Visit, VisitCause, VisitState
from ronda.rounds.policies import LONGEST_WAIT_DAYS, MOST_OPEN_VISITS, freshness_weight
from ronda.rounds.visitors import visitor_of
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise


def ask_for_visit(*, actor: Person | None, source_id: uuid.UUID) -> Visit:
    """Capture it now, whether it changed or not. A visit that is under way becomes that one."""
    source = source_to_change(actor, source_id)
    if source.state == SourceState.ENDED:
        raise NoLongerFollowed()
    with transaction.atomic():
        visit = _open(source, VisitCause.HAND)
        if visit.is_to_be_cancelled:
            raise VisitEnding()
        budget.spend(1)
        if visit.state == VisitState.PROBING and visit.cause != VisitCause.HAND:
            visit.cause = VisitCause.HAND
            visit.save(update_fields=["cause"])
    return visit


def cancel_visit(*, actor: Person | None, source_id: uuid.UUID) -> Visit:
    """It ends at its next step, within seconds; nothing of it becomes a version. Harmless to repeat."""
    source = source_to_change(actor, source_id)
    with transaction.atomic():
        visit = _open_visit_of(source)
        if visit is None:
            raise NoVisitOpen()
        Visit.objects.filter(pk=visit.pk).update(is_to_be_cancelled=True)
        visit.is_to_be_cancelled = True
        if visitor := visitor_of(source):
            visitor.cancel(visit)
        else:
            pushing.push(visit.pk)
    return visit


def open_due_visits() -> int:
    """Those that are due, while there are not too many at once: first visits, then as the budget allows.

    Without a budget the longest waiting go first, else the most urgent.
    """
    now = timezone.now()
    room = int(value_of(MOST_OPEN_VISITS)) - Visit.objects.exclude(state=VisitState.ENDED).count()
    allowed = budget.allowance(now)
    opened = _open_all(_due(now).filter(visited_at=None).order_by("next_visit_at")[: max(0, room)])
    room = min(room - opened, room if allowed is None else allowed - opened)
    if room <= 0:
        budget.spend(opened)
        return opened
    if allowed is None:
        due = _due(now).filter(visited_at__isnull=False).order_by("next_visit_at")[:room]
    else:
        due = Source.objects.filter(pk__in=_most_urgent(now, room))
    opened += _open_all(due)
    budget.spend(opened)
    return opened


def _due(now: datetime) -> QuerySet[Source]:
    under_way = Visit.objects.filter(source=OuterRef("pk")).exclude(state=VisitState.ENDED)
    return Source.objects.filter(~Exists(under_way), state=SourceState.ACTIVE, next_visit_at__lte=now)


def _most_urgent(now: datetime, most: int) -> list[uuid.UUID]:
    arguments: dict[str, Any] = {
        "now": now,
        "most": most,
        "freshness": freshness_weight(),
        "starving_before": now - timedelta(days=int(value_of(LONGEST_WAIT_DAYS))),
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "due_by_urgency"), arguments)
        return [row[0] for row in cursor.fetchall()]


def _open_all(due: QuerySet[Source]) -> int:
    is_told = Signal.objects.filter(source=OuterRef("pk"), was_right=None)
    is_kept = Version.objects.filter(source=OuterRef("pk"), forgotten_at=None)
    found = list(due.annotate(is_told=Exists(is_told), is_kept=Exists(is_kept)))
    for source in found:
        # Other visitors keep no versions, and follow what they have read once.
        is_first = not source.is_kept and not source.failed_visits and not source.visitor
        _open(source, _cause(is_first, source.is_told))
    return len(found)


def _cause(is_first: bool, is_told: bool) -> VisitCause:
    if is_first:
        return VisitCause.FIRST
    return VisitCause.SIGNAL if is_told else VisitCause.SCHEDULE


def _open(source: Source, cause: VisitCause) -> Visit:
    """One at a time: the one that is open, if there is one."""
    with transaction.atomic():
        try:
            with transaction.atomic():
                visit = Visit.objects.create(source=source, cause=cause)
        except IntegrityError:
            found = _open_visit_of(source)
            if found is None:  # it ended in this very moment
                return _open(source, cause)
            visit = found
        if visitor := visitor_of(source):
            visitor.begin(visit)
            return visit
        if source.failed_visits:
            ask_robots_again(host=canonicalise(source.url, ANYWHERE).authority)
        pushing.push(visit.pk)
    return visit


def _open_visit_of(source: Source) -> Visit | None:
    return Visit.objects.filter(source=source).exclude(state=VisitState.ENDED).first()
