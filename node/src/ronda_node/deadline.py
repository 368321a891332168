"""When a lease ends, by a clock that counts sleep. It moves while the server extends it."""

from __future__ import annotations

from ronda_node.clock import steady_seconds


class Deadline:
    def __init__(self, seconds: float, *, since: float | None = None) -> None:
        """`since`: from before the question was sent, as our lease must end before the server's does."""
        self._is_over = False
        self.extend(seconds, since=since)

    def extend(self, seconds: float, *, since: float | None = None) -> None:
        self._at = (steady_seconds() if since is None else since) + seconds

    def end(self) -> None:
        """For good: an extension that was on its way does not undo it."""
        self._is_over = True

    def seconds_left(self) -> float:
        return 0.0 if self._is_over else max(0.0, self._at - steady_seconds())

    def is_within(self, seconds: float) -> bool:
        """It will have passed by then."""
        return self.seconds_left() <= max(0.0, seconds)
