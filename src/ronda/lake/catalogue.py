"""When the catalogue is gone for a moment: PostgreSQL is restarted, and whoever was at work begins again."""

from __future__ import annotations

from django.db import OperationalError

# What DuckDB hands on of PostgreSQL's words; files that cannot be read are another matter.
_ABOUT_POSTGRES = (
    "connection to server",
    "server closed the connection",
    "terminating connection",
    "no connection to the server",
    "could not connect",
    "unable to connect to postgres",
    "shutting down",
    "starting up",
    "in recovery mode",
    # Of the catalogue's own transaction, which nothing but a lost connection ends before ours.
    "from ducklake: current transaction is aborted",
)


def gone(error: Exception) -> OperationalError | None:
    """What everybody knows from the database itself: jobs are put back, pages say that it is coming back."""
    words = str(error).lower()
    return OperationalError(str(error)) if any(told in words for told in _ABOUT_POSTGRES) else None
