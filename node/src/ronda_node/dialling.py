"""Opening a connection to an address that was vetted, and to no other."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence

from ronda_node.bandwidth import Bandwidth
from ronda_node.connection import Connection
from ronda_node.pool import Door
from ronda_node.reasons import Reason

# (make, address, port, TLS context, name the certificate is checked for) -> what `make` made, connected.
Dial = Callable[
    [Callable[[], Connection], str, int, ssl.SSLContext | None, str | None], Awaitable[Connection]
]

_MOST_DOORS = 3


class ExchangeFailed(Exception):
    """Becomes a `Failure` at the border of the exchanger."""

    def __init__(self, reason: Reason, detail: str, peer_address: str | None = None) -> None:
        self.reason = reason
        self.detail = detail
        self.peer_address = peer_address
        super().__init__(detail)


async def dial(
    make: Callable[[], Connection], address: str, port: int, tls: ssl.SSLContext | None, name: str | None
) -> Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(make, address, port, ssl=tls, server_hostname=name)
    return connection


def tls_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


class Dialler:
    def __init__(self, *, bandwidth: Bandwidth, tls: ssl.SSLContext, dial: Dial = dial) -> None:
        self._bandwidth = bandwidth
        self._tls = tls
        self._dial = dial

    async def open(self, doors: Sequence[Door], seconds: float) -> tuple[Connection, Door]:
        """The first door that opens, within the time for all of them; raises `ExchangeFailed`."""
        until = time.monotonic() + seconds
        failure = ExchangeFailed(Reason.CONNECT, "There is no address to connect to.")
        for left in range(min(len(doors), _MOST_DOORS), 0, -1):
            door = doors[min(len(doors), _MOST_DOORS) - left]
            share = max(0.0, until - time.monotonic()) / (2 if left > 1 else 1)
            try:
                return await self._knock(door, share), door
            except ExchangeFailed as failed:
                failure = failed
        raise failure

    async def _knock(self, door: Door, seconds: float) -> Connection:
        is_tls = door.scheme == "https"
        try:
            async with asyncio.timeout(seconds):
                return await self._dial(
                    lambda: Connection(self._bandwidth),
                    door.address,
                    door.port,
                    self._tls if is_tls else None,
                    door.host if is_tls else None,
                )
        except TimeoutError:
            detail = f"No connection to {door.address} port {door.port} in {seconds:.3g} s."
            raise ExchangeFailed(Reason.TIMEOUT, detail, door.address) from None
        except (ssl.SSLError, ValueError) as error:
            # A ValueError is a name that DNS carries and TLS does not.
            raise ExchangeFailed(Reason.TLS, f"{door.host}: {error}", door.address) from None
        except OSError as error:
            detail = f"{door.address} port {door.port}: {error.strerror or error}"
            raise ExchangeFailed(Reason.CONNECT, detail, door.address) from None
