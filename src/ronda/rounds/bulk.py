"""One thing done to many sources: each by itself, and what could not be done is told beside what was."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import Conflict, Forbidden, InvalidInput, NotFound, RondaError
from ronda.rounds import services, visiting

MOST_SOURCES = 500


class Action(StrEnum):
    PAUSE = "pause"
    RESUME = "resume"
    VISIT = "visit"
    MOVE = "move"
    END = "end"
    REMOVE = "remove"


@dataclass(frozen=True)
class Done:
    """What became of one source; `refusal` if nothing did."""

    source_id: uuid.UUID
    refusal: RondaError | None = None


def act_on(
    *,
    actor: Person | None,
    source_ids: Iterable[uuid.UUID],
    action: Action,
    collection: str = "",
    because: str = "",
) -> list[Done]:
    """`collection` is where to move them, `because` why to remove them with their versions."""
    person = require(actor, Role.SUBSCRIBER, Role.DIRECTOR)
    wanted = list(dict.fromkeys(source_ids))
    if not 1 <= len(wanted) <= MOST_SOURCES:
        raise InvalidInput("Choose 1 to 500 sources.", field="sources")
    if action is Action.REMOVE:
        because = services.reason_given(because)
    return [_done(person, source_id, action, collection, because) for source_id in wanted]


def _done(person: Person, source_id: uuid.UUID, action: Action, collection: str, because: str) -> Done:
    try:
        match action:
            case Action.PAUSE:
                services.pause(actor=person, source_id=source_id)
            case Action.RESUME:
                services.resume(actor=person, source_id=source_id)
            case Action.VISIT:
                visiting.ask_for_visit(actor=person, source_id=source_id)
            case Action.MOVE:
                services.edit(actor=person, source_id=source_id, changes={"collection": collection})
            case Action.END:
                services.end(actor=person, source_id=source_id)
            case Action.REMOVE:
                services.remove(actor=person, source_id=source_id, because=because)
    except (InvalidInput, Conflict, Forbidden, NotFound) as refusal:
        return Done(source_id, refusal)
    return Done(source_id)
