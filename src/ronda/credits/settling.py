"""From pending to settled, when the audit window is over."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Max, Q, Sum
from django.utils import timezone

from ronda.credits.ledger import account, lock, post
from ronda.credits.models import Account, AccountKind, TransferKind
from ronda.credits.policies import AUDIT_HOURS
from ronda.policies.queries import value_of


def settle_matured() -> None:
    """What is older than the window is theirs. What is younger waits, and what was taken back counts at once."""
    cutoff = timezone.now() - timedelta(hours=int(value_of(AUDIT_HOURS)))
    pending = Account.objects.filter(kind=AccountKind.PENDING, person__isnull=False)
    totals = pending.annotate(total=Sum("entries__micros")).filter(total__gt=0)
    for one in totals:
        with transaction.atomic():
            lock(one)
            _settle(one, cutoff)


def _settle(pending: Account, cutoff: object) -> None:
    is_young = Q(transfer__made_at__gte=cutoff, micros__gt=0)
    sums = pending.entries.aggregate(
        total=Sum("micros"), young=Sum("micros", filter=is_young), newest=Max("pk")
    )
    matured = (sums["total"] or 0) - (sums["young"] or 0)
    if matured > 0:
        post(
            TransferKind.SETTLED,
            f"settled:{pending.pk}:{sums['newest']}",
            {pending: -matured, account(AccountKind.SETTLED, pending.person_id): matured},
        )
