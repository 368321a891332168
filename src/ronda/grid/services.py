"""A node makes itself known."""

from __future__ import annotations

from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.grid.models import Node


def register_node(*, actor: Person | None, name: str, version: str, system: str) -> Node:
    """The same name of the same person is the same node: registering again is harmless."""
    owner = require(actor, Role.CONTRIBUTOR)
    if not name or not name.isprintable():
        raise InvalidInput("Give the node a printable name.", field="name")
    node, _ = Node.objects.update_or_create(
        owner=owner, name=name, defaults={"version": version, "system": system, "seen_at": timezone.now()}
    )
    return node
