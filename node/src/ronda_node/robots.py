"""Where a redirect may lead: the server decided which URLs are fetched, but only the host says where they lead."""

from __future__ import annotations

from collections.abc import Iterable

from protego import Protego

from ronda_node.urls import CanonicalUrl

# The name under which robots.txt speaks to us.
AGENT = "RondaBot"


class Rules:
    """Read when the first redirect asks for them: most hosts never do."""

    def __init__(self, text: str, assigned: Iterable[str]) -> None:
        self._text = text
        self._assigned = frozenset(assigned)
        self._parsed: Protego | None = None

    def may_fetch(self, url: CanonicalUrl) -> bool:
        if not self._text or url.text in self._assigned:
            return True
        self._parsed = self._parsed or Protego.parse(self._text)
        return bool(self._parsed.can_fetch(url.text, AGENT))
