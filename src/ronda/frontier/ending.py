"""Requests that nobody wants any more: of a cancelled batch, or of a host that opted out. They end unanswered.

What a node is fetching at that moment ends with its answer. If none comes, or it is to be tried again, the leader
finds it here a little later, as it finds what there was no time for: all of this may be called again and again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from django.db import connection, transaction
from django.db.models import F, QuerySet

from ronda.database.named_sql import named_sql
from ronda.frontier import arrivals
from ronda.frontier.blocks import EndedRequest
from ronda.frontier.models import Batch, Host, Request, Seen
from ronda.frontier.purposes import Ended, Outcome, OutcomeState, tell

CANCELLED = Outcome(OutcomeState.CANCELLED, reason="cancelled")
# Few enough that hosts are not locked for long, and that a page that ends one piece answers at once.
PIECE = 1000
# A duty of the leader is short: what is left over waits for the next turn.
TURN_SECONDS = 0.5


def cancel_batch(*, batch_id: int, seconds: float = math.inf) -> int:
    """Nothing more of this batch is fetched; returns how many requests ended in `seconds`, of a piece at least."""
    if Batch.objects.filter(pk=batch_id, is_cancelled=False).update(is_cancelled=True):
        arrivals.tell_holders()
        # However long it takes to end them all: hosts of nobody else are out of everybody's way now.
        with connection.cursor() as cursor:
            cursor.execute(named_sql("ronda.frontier", "clear_hosts_of_batch"), {"batch": batch_id})
    return _end(Request.objects.filter(batch_id=batch_id), CANCELLED, time.monotonic() + seconds)


def refuse_requests_of(host: Host, *, seconds: float = math.inf) -> int:
    """The host opted out: what is queued for it ends as refused."""
    outcome = Outcome(OutcomeState.REFUSED, reason=opted_out(host.blocked_reason))
    return _end(Request.objects.filter(host_id=host.pk), outcome, time.monotonic() + seconds)


def opted_out(reason: str) -> str:
    """As clients read it."""
    return f"opted out: {reason}"


def end_unwanted() -> None:
    """What is left of cancelled batches and of hosts that opted out, or came back to the queue after that."""
    for batch in Batch.objects.filter(is_cancelled=True, ended__lt=F("total")):
        cancel_batch(batch_id=batch.pk, seconds=TURN_SECONDS)
    for host in Host.objects.exclude(blocked_reason="").filter(has_work=True):
        refuse_requests_of(host, seconds=TURN_SECONDS)


def forget_batches(batch_ids: Sequence[int]) -> int:
    """Batches nobody will ask about, with the memory of their URLs; those with requests out are kept for now."""
    with transaction.atomic():
        done = Batch.objects.filter(pk__in=batch_ids, ended__gte=F("total"))
        numbers = list(done.select_for_update(skip_locked=True).values_list("pk", flat=True))
        Seen.objects.filter(batch_id__in=numbers).delete()
        Batch.objects.filter(pk__in=numbers).delete()
    return len(numbers)


def _end(requests: QuerySet[Request], outcome: Outcome, until: float) -> int:
    """Piece by piece in the order of ids: those a node holds stay, and must not hide the ones behind them."""
    count, last = 0, 0
    while numbers := list(requests.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:PIECE]):
        count += _end_piece(numbers, outcome)
        last = numbers[-1]
        if time.monotonic() > until:
            break
    return count


def _end_piece(numbers: list[int], outcome: Outcome) -> int:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(named_sql("ronda.frontier", "lock_hosts_of_requests"), {"ids": numbers})
        cursor.execute(named_sql("ronda.frontier", "lock_batches_of_requests"), {"ids": numbers})
        cursor.execute(named_sql("ronda.frontier", "end_queued"), {"ids": numbers})
        ended = [EndedRequest(*row) for row in cursor.fetchall()]
        tell(Ended(request, outcome) for request in ended)
    return len(ended)
