"""Where the demo listens: from an address of the catalogue to a URL, and back from a Host header."""

from __future__ import annotations

from dataclasses import dataclass

from ronda.demo.sites import Site

HTTP_PORT = 80


@dataclass(frozen=True)
class Origins:
    """One port on many addresses."""

    port: int

    def url(self, place: Site | str) -> str:
        """The URL of a site or of an address, with the final slash."""
        address = place if isinstance(place, str) else place.address
        return f"http://{address}/" if self.port == HTTP_PORT else f"http://{address}:{self.port}/"


def host_of(host_header: str) -> str:
    """The host of a Host header without its port."""
    return host_header.partition(":")[0].strip()
