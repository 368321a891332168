"""What can go wrong with nodes.

NotFound
└── NoSuchNode
"""

from __future__ import annotations

from ronda.errors import NotFound


class NoSuchNode(NotFound):
    """There is no such node, or it is not yours. Register it again."""
