"""Whether this machine has a network at all: where host after host cannot be reached, the fault may be here."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from ronda_node.fetcher import Fetched
from ronda_node.outcomes import Exchange
from ronda_node.reasons import Reason
from ronda_node.resolution import Lookup

logger = logging.getLogger(__name__)

NO_NETWORK = "no network: host after host cannot be reached"
# After so many in a row, and no answer in between, this machine is looked at.
SUSPICIOUS_HOSTS = 3
# Names that led somewhere: as long as one of them does, there is a network.
MOST_WITNESSES = 8
LOOKUP_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 15.0
_UNREACHED = frozenset({Reason.DNS, Reason.CONNECT, Reason.TIMEOUT})
# Addresses nobody has (RFC 5737, RFC 3849): to ask for the way there sends nothing.
_NOWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))


def has_route() -> bool:
    """Whether this machine knows a way into the world."""
    for family, address in _NOWHERE:
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as way:
                way.connect((address, 9))
        except OSError:
            continue
        return True
    return False


class Network:
    """What host after host says of it, and the names that led somewhere before."""

    def __init__(self, lookup: Lookup, *, has_route: Callable[[], bool] = has_route) -> None:
        self.is_gone = False
        self._lookup = lookup
        self._has_route = has_route
        self._failed: set[str] = set()
        self._witnesses: deque[str] = deque(maxlen=MOST_WITNESSES)
        self._looking = asyncio.Lock()

    async def is_to_blame(self, fetched: Fetched) -> bool:
        """Whether this is no answer about the host, but about us."""
        host = urlsplit(fetched.request.url).hostname or ""
        if isinstance(fetched.last, Exchange):
            self._failed.clear()
            self._remember(host)
            return False
        if fetched.last.reason not in _UNREACHED:
            return False
        self._failed.add(host)
        async with self._looking:
            if not self.is_gone and len(self._failed) >= SUSPICIOUS_HOSTS:
                await self._look()
        return self.is_gone

    async def watch(self) -> None:
        """Until cancelled: notices when it is back."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            if self.is_gone:
                await self._look()

    async def _look(self) -> None:
        is_there = self._has_route() and (not self._witnesses or await self._has_witness())
        if self.is_gone == is_there:
            logger.warning("the network is back" if is_there else NO_NETWORK)
        self.is_gone = not is_there
        self._failed.clear()

    async def _has_witness(self) -> bool:
        asked = await asyncio.gather(*(self._is_known(name) for name in self._witnesses))
        return any(asked)

    async def _is_known(self, name: str) -> bool:
        try:
            async with asyncio.timeout(LOOKUP_SECONDS):
                return bool(await self._lookup(name))
        except (OSError, UnicodeError):
            return False

    def _remember(self, host: str) -> None:
        if host not in self._witnesses and not _is_address(host):
            self._witnesses.append(host)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
