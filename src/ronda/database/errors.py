"""What can go wrong with PostgreSQL.

RondaError
├── DatabaseUnreachable     (InvalidInput)  the one RONDA_DATABASE_URL names does not answer
├── DatabaseRefuses         (InvalidInput)  it answers, but lets us do too little
└── EmbeddedPostgresFailed  (Unavailable)   ours does not start
"""

from __future__ import annotations

from ronda.errors import InvalidInput, Unavailable


class DatabaseUnreachable(InvalidInput):
    """PostgreSQL cannot be reached."""


class DatabaseRefuses(InvalidInput):
    """PostgreSQL does not let its user do what Ronda needs."""


class EmbeddedPostgresFailed(Unavailable):
    """The embedded PostgreSQL did not start."""
