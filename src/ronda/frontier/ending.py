"""Requests that nobody wants any more: of a cancelled batch, or of a host that opted out. They end unanswered.

What a node is fetching at that moment ends with its answer. If none comes, or it is to be tried again, the leader
finds it here a little later: both functions may be called again and again.
"""

from __future__ import annotations

from django.db import connection, transaction
from django.db.models import F, QuerySet

from ronda.database.named_sql import named_sql
from ronda.frontier.blocks import EndedRequest
from ronda.frontier.models import Batch, Host, Request
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell

CANCELLED = Outcome(OutcomeState.CANCELLED, reason="cancelled")
# Few enough that hosts are not locked for long.
PIECE = 5000


def cancel_batch(*, batch_id: int, most: int | None = None) -> int:
    """Nothing more of this batch is fetched; returns how many requests ended by that, `most` of them at a time."""
    Batch.objects.filter(pk=batch_id, is_cancelled=False).update(is_cancelled=True)
    return _end(Request.objects.filter(batch_id=batch_id), CANCELLED, most)


def refuse_requests_of(host: Host, *, most: int | None = None) -> int:
    """The host opted out: what is queued for it ends as refused."""
    outcome = Outcome(OutcomeState.REFUSED, reason=opted_out(host.blocked_reason))
    return _end(Request.objects.filter(host_id=host.pk), outcome, most)


def opted_out(reason: str) -> str:
    """As clients read it."""
    return f"opted out: {reason}"


def end_unwanted() -> None:
    """What came back to the queue after its batch was cancelled or its host opted out; a piece of each."""
    for batch in Batch.objects.filter(is_cancelled=True, ended__lt=F("total")):
        cancel_batch(batch_id=batch.pk, most=PIECE)
    for host in Host.objects.exclude(blocked_reason="").filter(has_work=True):
        refuse_requests_of(host, most=PIECE)


def _end(requests: QuerySet[Request], outcome: Outcome, most: int | None) -> int:
    numbers = list(requests.values_list("pk", flat=True)[:most])
    return sum(_end_piece(numbers[start : start + PIECE], outcome) for start in range(0, len(numbers), PIECE))


def _end_piece(numbers: list[int], outcome: Outcome) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "lock_hosts_of_requests"), {"ids": numbers})
        cursor.execute(named_sql("ronda.frontier", "lock_batches_of_requests"), {"ids": numbers})
        cursor.execute(named_sql("ronda.frontier", "end_queued"), {"ids": numbers})
        ended = [EndedRequest(*row) for row in cursor.fetchall()]
        tell(Ended(request, outcome) for request in ended)
    return len(ended)
