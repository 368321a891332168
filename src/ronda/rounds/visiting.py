"""Visits are opened when their source is due or somebody asks, and cancelled by hand. `steps` does the rest."""

from __future__ import annotations

import uuid

from django.db import IntegrityError, transaction
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.frontier.services import ask_robots_again
from ronda.policies.queries import value_of
from ronda.rounds import pushing
from ronda.rounds.authority import source_to_change
from ronda.rounds.errors import NoLongerFollowed, NoVisitOpen
from ronda.rounds.models import Source, SourceState, Visit, VisitCause, VisitState
from ronda.rounds.policies import MOST_OPEN_VISITS
from ronda_node.policy import ANYWHERE
from ronda_node.urls import canonicalise


def ask_for_visit(*, actor: Person | None, source_id: uuid.UUID) -> Visit:
    """Capture it now, whether it changed or not. A visit that is under way becomes that one."""
    source = source_to_change(actor, source_id)
    if source.state == SourceState.ENDED:
        raise NoLongerFollowed()
    with transaction.atomic():
        visit = _open(source, VisitCause.HAND)
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
        pushing.push(visit.pk)
    return visit


def open_due_visits() -> int:
    """Those that are due, the longest waiting first, while there are not too many at once."""
    under_way = Visit.objects.exclude(state=VisitState.ENDED)
    room = int(value_of(MOST_OPEN_VISITS)) - under_way.count()
    due = Source.objects.filter(state=SourceState.ACTIVE, next_visit_at__lte=timezone.now())
    waiting = due.exclude(pk__in=under_way.values("source_id")).order_by("next_visit_at")[: max(0, room)]
    for source in waiting:
        is_first = not source.versions.filter(forgotten_at=None).exists()
        _open(source, VisitCause.FIRST if is_first else VisitCause.SCHEDULE)
    return len(waiting)


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
        if source.failed_visits:
            ask_robots_again(host=canonicalise(source.url, ANYWHERE).authority)
        pushing.push(visit.pk)
    return visit


def _open_visit_of(source: Source) -> Visit | None:
    return Visit.objects.filter(source=source).exclude(state=VisitState.ENDED).first()
