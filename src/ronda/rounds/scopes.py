"""How far a source reaches: whether a URL belongs to it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tldextract import TLDExtract

from ronda_node.urls import CanonicalUrl


@dataclass(frozen=True)
class Reach:
    """`roots`: the source's URL, and where it says it has moved to."""

    scope: str
    roots: Sequence[CanonicalUrl]

    def includes(self, url: CanonicalUrl) -> bool:
        return any(self._is_within(root, url) for root in self.roots)

    def _is_within(self, root: CanonicalUrl, url: CanonicalUrl) -> bool:
        match self.scope:
            case "page":
                return url.text == root.text
            case "prefix":
                return root.is_same_host(url) and url.target.startswith(_folder(root))
            case "domain":
                return domain_of(url.host) == domain_of(root.host)
        return root.is_same_host(url)


def _folder(url: CanonicalUrl) -> str:
    """A prefix ends with a slash: /docs/guide.html reaches what is in /docs/."""
    path = url.target.partition("?")[0]
    return path[: path.rindex("/") + 1]


@cache
def _extract() -> TLDExtract:
    # The list that comes with the package: nothing is asked of the network.
    return TLDExtract(suffix_list_urls=(), cache_dir=None)


def domain_of(host: str) -> str:
    """The domain somebody registered: example.co.uk of www.example.co.uk. Of an address or a local name, itself."""
    return _extract()(host).top_domain_under_public_suffix or host
