"""What the leader does for accounts."""

from __future__ import annotations

from ronda.accounts.services import prune_expired
from ronda.supervision.duties import duty


@duty(every_seconds=3600)
def prune_expired_sessions_and_links() -> None:
    prune_expired()
