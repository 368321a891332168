"""Where this machine stands: its own addresses, its gateways and everything on its links.

The devices of a home have global IPv6 addresses, and the router answers at the public IPv4 one: nothing about these
addresses themselves says that they are not the public internet.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_interface,
)
from pathlib import Path

import psutil

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

SURVEY_SECONDS = 60.0
# A tunnel that claims to be on-link with half the internet must not stop all work.
_SHORTEST_PREFIX = {4: 12, 6: 40}


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    own: frozenset[Address] = frozenset()
    gateways: frozenset[Address] = frozenset()
    links: tuple[Network, ...] = ()

    def relation_to(self, address: Address) -> str:
        """What `address` is to this machine; empty for a stranger."""
        if address in self.own:
            return "an address of this machine or its router"
        if address in self.gateways:
            return "the gateway of this machine"
        if any(link.version == address.version and address in link for link in self.links):
            return "on the same link as this machine"
        return ""

    def with_own(self, addresses: Iterable[str]) -> Neighbourhood:
        """Also these, such as the public address the server sees this node come from."""
        return replace(self, own=self.own | {ip_address(address) for address in addresses})


NOWHERE = Neighbourhood()


def survey(
    interfaces: Callable[[], Iterable[tuple[str, str | None]]] | None = None, proc: Path = Path("/proc/net")
) -> Neighbourhood:
    """Look around. Elsewhere than on Linux the gateway is not asked for: it stands on a link anyway."""
    own: set[Address] = set()
    links: list[Network] = []
    for text, mask in (interfaces or _interfaces)():
        address = ip_address(text.partition("%")[0])
        own.add(address)
        network = _network(address, mask)
        if network and _SHORTEST_PREFIX[address.version] <= network.prefixlen < network.max_prefixlen:
            links.append(network)
    return Neighbourhood(frozenset(own), frozenset(_gateways(proc)), tuple(dict.fromkeys(links)))


class Surveyor:
    """Looks around again once in a while: laptops move."""

    def __init__(
        self,
        look: Callable[[], Neighbourhood] = survey,
        *,
        keep_seconds: float = SURVEY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._keep_seconds = keep_seconds
        self._clock = clock
        self._seen = NOWHERE
        self._looked_at: float | None = None

    def __call__(self) -> Neighbourhood:
        now = self._clock()
        if self._looked_at is None or now - self._looked_at >= self._keep_seconds:
            self._seen, self._looked_at = self._look(), now
        return self._seen


def _interfaces() -> Iterable[tuple[str, str | None]]:
    for addresses in psutil.net_if_addrs().values():
        for entry in addresses:
            if entry.family in (socket.AF_INET, socket.AF_INET6):
                yield entry.address, entry.netmask


def _network(address: Address, mask: str | None) -> Network | None:
    if not mask:
        return None
    if isinstance(address, IPv6Address) and ":" in mask:
        mask = str(int(IPv6Address(mask)).bit_count())
    try:
        return ip_interface(f"{address}/{mask}").network
    except ValueError:
        return None


def _gateways(proc: Path) -> Iterable[Address]:
    for line in _table(proc / "route")[1:]:
        fields = line.split()
        if len(fields) > 2 and fields[2] != "00000000":
            yield IPv4Address(bytes.fromhex(fields[2])[::-1])
    for line in _table(proc / "ipv6_route"):
        fields = line.split()
        if len(fields) > 4 and int(fields[4], 16):
            yield IPv6Address(int(fields[4], 16))


def _table(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
