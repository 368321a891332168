"""What Ronda itself gathered, for questions of the set `ronda`: PostgreSQL and the lake, read-only."""

from __future__ import annotations

from django.conf import settings

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.analysis.asked import Asked
from ronda.analysis.own_tables import Provide, own_tables
from ronda.analysis.questions import QuestionSet
from ronda.database.connection import database_url
from ronda.lake.reading import attachment

SET = "ronda"


def reads_ronda(asked: Asked) -> bool:
    """Of the set that Ronda comes with; whoever calls a set of their own like that reads their own tables."""
    return asked.set.name == SET and all(question.is_built_in for question in asked.questions)


def may_ask(person: Person, found: QuestionSet) -> bool:
    return found.name != SET or person.has_role(Role.DIRECTOR)


def require_right(actor: Person | None, asked: Asked) -> None:
    """What everybody's sources, fetches and credits came to is for those who direct it."""
    if reads_ronda(asked):
        require(actor, Role.DIRECTOR)


def provide_ronda() -> Provide:
    return own_tables(database_url(settings.RONDA), attachment())
