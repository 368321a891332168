"""What the leader does for supervision."""

from __future__ import annotations

from ronda.supervision.duties import duty
from ronda.supervision.services import forget_old_reports


@duty(every_seconds=600)
def forget_reports_of_old_starts() -> None:
    forget_old_reports()
