"""What the leader does for accounts."""

from __future__ import annotations

from ronda.accounts import registration, services
from ronda.supervision.duties import duty


@duty(every_seconds=3600)
def prune_expired_sessions_and_links() -> None:
    services.prune_expired()
    registration.prune_expired()
