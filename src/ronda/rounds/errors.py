"""What can go wrong with what is followed.

NotFound
├── NoSuchSource    there is none, or the actor may not see it
└── NoSuchVersion   there is none, or the actor may not see it
"""

from __future__ import annotations

from ronda.errors import NotFound


class NoSuchSource(NotFound):
    """There is no such source, or it is not yours to see."""


class NoSuchVersion(NotFound):
    """There is no such version, or it is not yours to see."""
