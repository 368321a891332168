"""What can go wrong with a node.

NodeError
└── ServerRefused    the server answered, and said no
"""

from __future__ import annotations


class NodeError(Exception):
    """Something went wrong."""


class ServerRefused(NodeError):
    """The server said no."""

    def __init__(self, status: int, detail: str) -> None:
        self.status = status
        super().__init__(f"The server answered {status}: {detail}")

    @property
    def is_passing(self) -> bool:
        """Worth another try: the server is busy or unwell, or has forgotten this node."""
        return self.status >= 500 or self.status in (404, 408, 429)
