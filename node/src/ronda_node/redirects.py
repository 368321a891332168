"""Where an answer sends its reader: the same for the node that follows and for the server that holds it to that."""

from __future__ import annotations

from ronda_node.policy import PUBLIC_WEB, Policy
from ronda_node.urls import CanonicalUrl, join

MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})


def target_of(
    url: CanonicalUrl, status: int, location: bytes | None, policy: Policy = PUBLIC_WEB
) -> CanonicalUrl | None:
    """None: nowhere. Raises `UrlRefused` where it may not lead."""
    if status not in REDIRECTS or not location:
        return None
    return join(url, text_of(location), policy)


def text_of(location: bytes) -> str:
    """UTF-8, as most mean it; else every byte beyond ASCII stands for itself, as browsers have it."""
    try:
        return location.decode()
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in location)
