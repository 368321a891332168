"""A node makes itself known and asks for work."""

from __future__ import annotations

import random
import uuid

from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.grid.errors import NoSuchNode
from ronda.grid.models import Node

# When there is nothing to do; with jitter, or a thousand nodes would all come back in the same second.
COME_BACK_SECONDS = 10
COME_BACK_JITTER = 0.5


def register_node(*, actor: Person | None, name: str, version: str, system: str) -> Node:
    """The same name of the same person is the same node: registering again is harmless."""
    owner = require(actor, Role.CONTRIBUTOR)
    if not name or not name.isprintable():
        raise InvalidInput("Give the node a printable name.", field="name")
    node, _ = Node.objects.update_or_create(
        owner=owner, name=name, defaults={"version": version, "system": system, "seen_at": timezone.now()}
    )
    return node


def ask_for_work(*, actor: Person | None, node_id: uuid.UUID) -> float:
    """Note that the node is there; says in how many seconds it should ask again."""
    owner = require(actor, Role.CONTRIBUTOR)
    if not Node.objects.filter(pk=node_id, owner=owner).update(seen_at=timezone.now()):
        raise NoSuchNode()
    return COME_BACK_SECONDS * random.uniform(1 - COME_BACK_JITTER, 1 + COME_BACK_JITTER)  # noqa: S311
