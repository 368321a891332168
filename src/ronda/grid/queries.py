"""What can be asked about nodes."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.grid.errors import NoSuchNode
from ronda.grid.models import AWAY_AFTER, Node


def nodes(*, actor: Person | None) -> QuerySet[Node]:
    """One's own nodes; an administrator sees everybody's."""
    person = require(actor, Role.CONTRIBUTOR)
    found = Node.objects.filter(removed_at=None).select_related("owner", "standing")
    return found if person.is_administrator else found.filter(owner=person)


def node(*, actor: Person | None, node_id: uuid.UUID) -> Node:
    found = nodes(actor=actor).filter(pk=node_id).first()
    if found is None:
        raise NoSuchNode()
    return found


def present_count() -> int:
    return Node.objects.filter(seen_at__gt=timezone.now() - AWAY_AFTER, removed_at=None).count()
