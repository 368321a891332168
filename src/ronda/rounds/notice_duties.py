"""What the leader does for notices."""

from __future__ import annotations

from ronda.rounds import sending
from ronda.supervision.duties import duty


@duty(every_seconds=5)
def send_due_notices() -> None:
    sending.send_due()


@duty(every_seconds=3600)
def forget_old_notices() -> None:
    sending.forget_old_notices()
