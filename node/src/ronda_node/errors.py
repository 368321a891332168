"""What can go wrong with a node.

NodeError
├── ServerRefused    the server answered, and said no
├── UrlRefused       this URL is not one we fetch
└── StateUnreadable  a file this node keeps about itself cannot be understood
"""

from __future__ import annotations

from ronda_node.reasons import Reason


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


class UrlRefused(NodeError):
    """This URL is not one we fetch."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


class StateUnreadable(NodeError):
    """A file this node keeps about itself cannot be understood."""
