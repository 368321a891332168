"""What the leader does for credits."""

from __future__ import annotations

from ronda.credits import pricing, settling
from ronda.supervision.duties import duty


@duty(every_seconds=3)
def close_ended_fetches() -> None:
    pricing.close_ended_fetches()


@duty(every_seconds=300)
def settle_matured() -> None:
    settling.settle_matured()
