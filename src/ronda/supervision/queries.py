"""What can be asked about processes and the leader."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.supervision.models import Leadership, Process, silent_before


def current_leader() -> Leadership | None:
    """Who leads now; None between two leaders."""
    return Leadership.objects.filter(ended_at=None, beat_at__gte=silent_before()).first()


def reported_processes() -> QuerySet[Process]:
    """Those some supervisor still reports, for health and metrics: needs no role."""
    return Process.objects.filter(reported_at__gte=silent_before()).order_by(
        "machine", "instance", "role", "name"
    )


def processes(*, actor: Person | None) -> QuerySet[Process]:
    """All on record, including those that fell silent within the last hour."""
    require(actor, Role.ADMINISTRATOR)
    return Process.objects.filter(reported_at__gt=Now() - timedelta(hours=1))


def leaderships(*, actor: Person | None) -> QuerySet[Leadership]:
    require(actor, Role.ADMINISTRATOR)
    return Leadership.objects.all()
