"""What can be asked about nodes."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.grid.models import AWAY_AFTER, Node


def nodes(*, actor: Person | None) -> QuerySet[Node]:
    """One's own nodes; an administrator sees everybody's."""
    person = require(actor, Role.CONTRIBUTOR)
    found = Node.objects.select_related("owner")
    return found if person.is_administrator else found.filter(owner=person)


def present_count() -> int:
    return Node.objects.filter(seen_at__gt=timezone.now() - AWAY_AFTER).count()
