"""Where a reference on a page leads: the canonical form, nothing for what leads to no page (mailto:, javascript:)."""

from __future__ import annotations

from functools import lru_cache

from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE
from ronda_node.urls import CanonicalUrl, canonicalise, join


@lru_cache(maxsize=10_000)  # both states of a page have mostly the same links
def resolved(base: str, reference: str) -> str:
    """Nothing is fetched from here, so private addresses are as good as others."""
    try:
        return join(_base(base), reference, ANYWHERE).text
    except UrlRefused:
        return ""


@lru_cache(maxsize=16)
def _base(url: str) -> CanonicalUrl:
    return canonicalise(url, ANYWHERE)
