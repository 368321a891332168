"""What the leader does for the frontier."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from ronda.frontier import leases
from ronda.frontier.ending import end_unwanted
from ronda.supervision.duties import duty

# Well past any lease with its guard time.
LOST_AFTER = timedelta(hours=3)
# A laptop that slept over the weekend may still bring what it fetched before.
FORGOTTEN_AFTER = timedelta(days=3)


@duty(every_seconds=600)
def sweep_leases() -> None:
    now = timezone.now()
    leases.sweep_leases(lost_before=now - LOST_AFTER, forget_before=now - FORGOTTEN_AFTER)


@duty(every_seconds=1)
def end_unwanted_requests() -> None:
    end_unwanted()
