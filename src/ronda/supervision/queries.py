"""What can be asked about processes and the leader."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.supervision.models import SILENCE_SECONDS, Leadership, Process


def current_leader() -> Leadership | None:
    """Who leads now; None between two leaders."""
    fresh = timezone.now() - timedelta(seconds=SILENCE_SECONDS)
    return Leadership.objects.filter(ended_at=None, beat_at__gt=fresh).first()


def reported_processes() -> QuerySet[Process]:
    """Those some supervisor still reports, for health and metrics: needs no role."""
    fresh = timezone.now() - timedelta(seconds=SILENCE_SECONDS)
    return Process.objects.filter(reported_at__gt=fresh).order_by("machine", "instance", "role", "name")


def processes(*, actor: Person | None) -> QuerySet[Process]:
    """All on record, including those that fell silent within the last hour."""
    require(actor, Role.ADMINISTRATOR)
    recent = timezone.now() - timedelta(hours=1)
    return Process.objects.filter(reported_at__gt=recent)


def leaderships(*, actor: Person | None) -> QuerySet[Leadership]:
    require(actor, Role.ADMINISTRATOR)
    return Leadership.objects.all()
