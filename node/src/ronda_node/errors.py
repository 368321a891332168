"""What can go wrong with a node.

NodeError
├── ServerRefused    the server answered, and said no
├── Left             it is time to leave; no more is asked for
├── UrlRefused       this URL is not one we fetch
├── HomeTaken        another node runs in this home
├── DiskFailed       what must be kept cannot be written
└── StateUnreadable  a file this node keeps about itself cannot be understood
"""

from __future__ import annotations

from ronda_node.reasons import Reason


class NodeError(Exception):
    """Something went wrong."""

    # 2: starting again would not help.
    exit_code = 2


class ServerRefused(NodeError):
    """The server said no."""

    def __init__(self, status: int, detail: str) -> None:
        self.status = status
        super().__init__(f"The server answered {status}: {detail}")

    @property
    def is_passing(self) -> bool:
        """Worth another try: the server is busy or unwell."""
        return self.status >= 500 or self.status in (408, 429)

    @property
    def is_forgotten(self) -> bool:
        """The server does not know this node, as after its database came from a backup."""
        return self.status == 404


class Left(NodeError):
    """It is time to leave."""


class UrlRefused(NodeError):
    """This URL is not one we fetch."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(detail)


class HomeTaken(NodeError):
    """Another node runs in this home."""


class DiskFailed(NodeError):
    """What must be kept cannot be written."""

    exit_code = 1


class StateUnreadable(NodeError):
    """A file this node keeps about itself cannot be understood."""
