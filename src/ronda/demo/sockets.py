"""One port on many loopback addresses."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence

from ronda.demo.errors import AddressError, PortError

ATTEMPTS = 20
BACKLOG = 256


def listen_everywhere(addresses: Sequence[str], port: int) -> list[socket.socket]:
    """Listening sockets on all addresses. Port 0 finds one port that is free on each of them."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _listen(addresses, port)
        except PortError:
            if port or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def _listen(addresses: Sequence[str], port: int) -> list[socket.socket]:
    sockets: list[socket.socket] = []
    try:
        for address in addresses:
            sockets.append(_listener(address, port))
            port = port or int(sockets[0].getsockname()[1])
    except BaseException:
        for opened in sockets:
            opened.close()
        raise
    return sockets


def _listener(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortError(port, address) from error
        if error.errno == errno.EACCES:
            raise AddressError(f"{address}:{port}", "ports below 1024 need more rights") from error
        raise AddressError(address, error.strerror or str(error)) from error
    return listener
