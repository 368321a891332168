"""How many visits may be opened now, where a director set how many a day there are for all sources together."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import F

from ronda.policies.queries import value_of
from ronda.rounds.policies import VISITS_PER_DAY
from ronda.rounds.prediction_models import VisitBudget

ONE_ROW = 1
DAY_SECONDS = 86_400
# What was not used is there for an hour: the day's visits are spread over it.
SAVED_SECONDS = 3600
GATHERED_SECONDS = 10


def allowance(now: datetime) -> int | None:
    """None: there is no budget."""
    per_day = int(value_of(VISITS_PER_DAY))
    if not per_day:
        return None
    with transaction.atomic():
        budget, _ = VisitBudget.objects.select_for_update().get_or_create(
            pk=ONE_ROW, defaults={"allowance": 1, "counted_at": now}
        )
        budget.allowance = filled(
            budget.allowance, seconds=(now - budget.counted_at).total_seconds(), per_day=per_day
        )
        budget.counted_at = now
        budget.save()
    # Ranking all that is due for each single visit would cost more than it is worth.
    is_enough = budget.allowance >= max(1.0, per_day * GATHERED_SECONDS / DAY_SECONDS)
    return int(budget.allowance) if is_enough else 0


def filled(allowance: float, *, seconds: float, per_day: int) -> float:
    """What there is after so many seconds; at least one visit can always be saved for."""
    most = max(1.0, per_day * SAVED_SECONDS / DAY_SECONDS)
    return max(-float(per_day), min(most, allowance + max(0.0, seconds) * per_day / DAY_SECONDS))


def spend(visits: int) -> None:
    """First visits and those somebody asked for count, too, and wait for nothing: it may fall below zero."""
    if visits:
        VisitBudget.objects.filter(pk=ONE_ROW).update(allowance=F("allowance") - visits)
