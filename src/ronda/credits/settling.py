"""From pending to settled: when the audit window is over, and a later check vouches for the answers.

While one of a person's machines is in quarantine, nothing of theirs is settled.
What was never vouched for stays pending while the node may still be checked, and lapses when it no longer can be: the
operator keeps it, and owes it to the client if the answers turn out to be wrong.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q, Sum
from django.utils import timezone

from ronda.credits.ledger import About, account, balance_of, lock, post
from ronda.credits.models import Account, AccountKind, TransferKind
from ronda.credits.policies import AUDIT_HOURS
from ronda.grid.models import Node
from ronda.policies.queries import value_of

# Of a node that was removed, and of one that only fell silent: it may come back, and be checked.
LAPSES_AFTER_REMOVAL = timedelta(days=1)
LAPSES_AFTER_SILENCE = timedelta(days=7)


@dataclass(frozen=True)
class _Earned:
    """What is pending of one node's work, in micros. `newest`: the last entry of it."""

    node: uuid.UUID
    newest: int
    ripe: int
    unproven: int
    is_lapsed: bool


def settle_matured() -> None:
    """What is older than the window and vouched for is theirs. What was taken back counts at once."""
    cutoff = timezone.now() - timedelta(hours=int(value_of(AUDIT_HOURS)))
    pending = Account.objects.filter(kind=AccountKind.PENDING, person__isnull=False)
    totals = pending.annotate(total=Sum("entries__micros")).filter(total__gt=0)
    for one in totals.select_related("person"):
        with transaction.atomic():
            lock(one)
            _settle(one, cutoff)


def _settle(pending: Account, cutoff: datetime) -> None:
    """Node by node, and never more than there is: what one of them owes, the others of the person stand in for."""
    there = balance_of(pending)
    for earned in _earned(pending, cutoff):
        ripe = min(earned.ripe, there)
        there -= _move(pending, earned, TransferKind.SETTLED, ripe)
        if earned.is_lapsed:
            there -= _move(pending, earned, TransferKind.LAPSED, min(earned.unproven, there))


def _move(pending: Account, earned: _Earned, kind: TransferKind, micros: int) -> int:
    if micros <= 0:
        return 0
    is_settled = kind is TransferKind.SETTLED
    target = account(AccountKind.SETTLED, pending.person_id) if is_settled else account(AccountKind.OPERATOR)
    key = f"{kind.value}:{pending.pk}:{earned.node}:{earned.newest}"
    post(kind, key, {pending: -micros, target: micros}, About(node=earned.node))
    return micros


def _earned(pending: Account, cutoff: datetime) -> Iterator[_Earned]:
    of_nodes = pending.entries.filter(transfer__node__isnull=False).values("transfer__node")
    sums = of_nodes.annotate(total=Sum("micros"), newest=Max("pk")).filter(total__gt=0).order_by("newest")
    found = Node.objects.select_related("standing").in_bulk([row["transfer__node"] for row in sums])
    is_suspended = _is_suspended(pending)
    for row in sums:
        node = found[row["transfer__node"]]
        is_unproven = Q(micros__gt=0) & (Q() if is_suspended else _is_unproven(pending, node))
        is_young = Q(micros__gt=0, transfer__made_at__gte=cutoff)
        parts = pending.entries.filter(transfer__node=node.pk).aggregate(
            unripe=Sum("micros", filter=is_unproven | is_young), unproven=Sum("micros", filter=is_unproven)
        )
        yield _Earned(
            node=node.pk,
            newest=row["newest"],
            ripe=row["total"] - (parts["unripe"] or 0),
            unproven=min(row["total"], parts["unproven"] or 0),
            is_lapsed=_is_lapsed(node),
        )


def _is_suspended(pending: Account) -> bool:
    """Who was found to lie cannot be vouched for by what they did before."""
    return Node.objects.filter(owner=pending.person_id, standing__state="quarantined").exists()


def _is_unproven(pending: Account, node: Node) -> Q:
    """Answered after the last check that the node passed. Administrators' own machines need no proof."""
    if pending.person and pending.person.is_administrator:
        return Q(pk=None)
    vouched_at = getattr(getattr(node, "standing", None), "vouched_at", None)
    return Q(transfer__made_at__gt=vouched_at) if vouched_at else Q()


def _is_lapsed(node: Node) -> bool:
    now = timezone.now()
    is_gone = node.removed_at is not None and now - node.removed_at > LAPSES_AFTER_REMOVAL
    return is_gone or now - node.seen_at > LAPSES_AFTER_SILENCE
