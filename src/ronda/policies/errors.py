"""What can go wrong with policies.

NotFound
└── NoSuchPolicy
"""

from __future__ import annotations

from ronda.errors import NotFound


class NoSuchPolicy(NotFound):
    """There is no setting of that name. `GET /api/v1/settings` lists them."""
