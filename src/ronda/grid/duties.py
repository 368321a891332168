"""What the leader does for the grid."""

from __future__ import annotations

from ronda.frontier.services import forget_learned
from ronda.grid.comparisons import start_comparisons
from ronda.grid.minutes import drop_old_minutes
from ronda.grid.vantage import end_unreachable
from ronda.supervision.duties import duty


@duty(every_seconds=3600)
def drop_old_minutes_of_nodes() -> None:
    drop_old_minutes()


@duty(every_seconds=2)
def compare_vantages() -> None:
    start_comparisons()


@duty(every_seconds=3600)
def forget_what_strategies_learned() -> None:
    forget_learned()


@duty(every_seconds=5)
def end_requests_nobody_can_fetch() -> None:
    end_unreachable()
