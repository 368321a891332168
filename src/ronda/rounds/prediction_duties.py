"""What the leader does so that sources are visited when they change."""

from __future__ import annotations

from django.utils import timezone

from ronda.rounds import back_testing, beacons, signals, simulations
from ronda.supervision.duties import duty


@duty(every_seconds=15)
def look_at_beacons() -> None:
    beacons.look_at_due()


@duty(every_seconds=60)
def forget_looks_at_beacons() -> None:
    beacons.forget_requests()


@duty(every_seconds=600)
def try_predictors_on_their_sources() -> None:
    back_testing.start_due()


@duty(every_seconds=3600)
def forget_old_signals() -> None:
    signals.forget_old(timezone.now())
    simulations.forget_old(timezone.now())
