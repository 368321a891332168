"""What the leader does for the grid."""

from __future__ import annotations

from ronda.grid.minutes import drop_old_minutes
from ronda.supervision.duties import duty


@duty(every_seconds=3600)
def drop_old_minutes_of_nodes() -> None:
    drop_old_minutes()
