"""What became of a visit's requests, written to its pages in the transaction of the upload; others read on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection

from ronda.database.named_sql import named_sql
from ronda.frontier.models import Batch
from ronda.frontier.purposes import Belonging, Ended, OutcomeState, register_purpose
from ronda.frontier.services import digest_of
from ronda.grid.listening import Listener, register_listener
from ronda.rounds import pushing, steps_here
from ronda.rounds.models import PageState, Visit

PROBE = "probe"
VISIT = "visit"

STATES = {
    OutcomeState.FETCHED: PageState.ANSWERED,
    OutcomeState.FAILED: PageState.FAILED,
    OutcomeState.REFUSED: PageState.REFUSED,
    OutcomeState.CANCELLED: PageState.LEFT,
}


def owner_of(visit_id: int, kind: str = "") -> str:
    """The name of a visit's batch."""
    return f"{visit_id}/{kind}" if kind else str(visit_id)


def visit_of(batch: Batch) -> int:
    return int(batch.owner.partition("/")[0])


def _hear(batch: Batch, ended: Sequence[Ended]) -> None:
    """One statement, however many ended. Pages that no longer wait are let alone: their visit is over."""
    visit_id = visit_of(batch)
    arguments: dict[str, Any] = {
        "visit": visit_id,
        "digests": [digest_of(one.request.url) for one in ended],
        "states": [STATES[one.outcome.state].value for one in ended],
        "statuses": [one.outcome.status for one in ended],
        "reasons": [one.outcome.reason[:300] for one in ended],
        "captures": [one.outcome.capture_id for one in ended],
        "unchanged": [one.outcome.is_unchanged for one in ended],
    }
    with connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.rounds", "keep_answers"), arguments)
        is_awaited = cursor.rowcount > 0
    waiting = batch.total - batch.ended
    if is_awaited and not steps_here.take(visit_id, pages=len(ended), waiting=waiting):
        pushing.push(visit_id)


def _belonging(batch: Batch) -> Belonging:
    visit = Visit.objects.select_related("source").filter(pk=visit_of(batch)).first()
    if visit is None:  # its source was deleted meanwhile
        return Belonging()
    return Belonging(collection_id=visit.source.collection_id, source=visit.source_id, visit=visit.pk)


class _Captures(Listener):
    """Answers of a visit are being read, or it has just begun: what they lead to comes next."""

    def is_work_near(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(named_sql("ronda.rounds", "is_work_near"))
            return bool(cursor.fetchone()[0])


register_listener(_Captures())
register_purpose(PROBE, _hear, belonging=_belonging)
register_purpose(VISIT, _hear, belonging=_belonging)
