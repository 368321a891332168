"""Who may change a source: its owner while a subscriber, and directors."""

from __future__ import annotations

import uuid

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.rounds.errors import NotYourSource
from ronda.rounds.models import Source
from ronda.rounds.queries import source_seen


def source_to_change(actor: Person | None, source_id: uuid.UUID) -> Source:
    """The source, if the actor may see and change it."""
    person = require(actor, Role.SUBSCRIBER, Role.DIRECTOR)
    source = source_seen(person, source_id)
    if not is_changeable(person, source):
        raise NotYourSource()
    return source


def is_changeable(person: Person, source: Source) -> bool:
    return person.has_role(Role.DIRECTOR) or (
        person.has_role(Role.SUBSCRIBER) and source.owner_id == person.pk
    )
