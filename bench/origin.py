"""A web to be fetched: any loopback address is a host of it; pages answer after a while, drawn from the URL itself.

As a program (`python -m bench.origin PORT MEDIAN_SECONDS`), so that it does not share an interpreter with what is
measured.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import NormalDist
from typing import cast

import uvloop

SPREAD = 0.5  # sigma of the logarithm: one answer in a hundred takes three times the median
_ROBOTS = b"User-agent: *\nAllow: /\n"


def page(path: str) -> bytes:
    """About 8 kB of HTML, each page its own."""
    mark = hashlib.blake2b(path.encode(), digest_size=8).hexdigest()
    lines = "".join(f"<p>Line {n} of page {mark}, as long as such lines are.</p>\n" for n in range(140))
    return f"<!doctype html><title>{mark}</title>\n{lines}".encode()


def latency_seconds(path: str, median_seconds: float) -> float:
    """Log-normal, and the same for everybody who asks for this path."""
    if not median_seconds:
        return 0.0
    share = int.from_bytes(hashlib.blake2b(path.encode(), digest_size=8).digest()) / 2**64
    return median_seconds * math.exp(SPREAD * NormalDist().inv_cdf(min(max(share, 1e-9), 1 - 1e-9)))


class Origin(asyncio.Protocol):
    """Just enough HTTP/1.1 to be no bottleneck: GET, keep-alive, one request at a time."""

    def __init__(self, median_seconds: float, pages: list[bytes]) -> None:
        self._median = median_seconds
        self._pages = pages
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop has its own class

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            path = self._buffer.split(b" ", 2)[1].decode("latin-1")
            self._buffer = self._buffer[end + 4 :]
            seconds = latency_seconds(path, self._median)
            if seconds:
                asyncio.get_running_loop().call_later(seconds, self._answer, path)
            else:
                self._answer(path)

    def _answer(self, path: str) -> None:
        if self._transport.is_closing():
            return
        if path == "/robots.txt":
            body, kind = _ROBOTS, b"text/plain"
        else:
            body, kind = self._pages[hash(path) % len(self._pages)], b"text/html; charset=utf-8"
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n" % (kind, len(body))
        self._transport.write(head + body)


async def _serve(port: int, median_seconds: float) -> None:
    pages = [page(f"/{n}") for n in range(500)]
    server = await asyncio.get_running_loop().create_server(
        lambda: Origin(median_seconds, pages),
        "0.0.0.0",
        port,
        backlog=4096,
    )
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextmanager
def running_origin(median_seconds: float) -> Iterator[int]:
    """An origin of one's own; yields its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.origin", str(port), str(median_seconds)], stdout=subprocess.PIPE
    )
    try:
        assert process.stdout
        process.stdout.readline()
        yield port
    finally:
        process.kill()
        process.wait()


def urls(port: int, *, hosts: int, count: int) -> list[str]:
    """`count` URLs spread evenly over so many hosts, host by host in turn."""
    names = [f"127.90.{n // 250}.{n % 250 + 1}:{port}" for n in range(hosts)]
    return [f"http://{names[n % hosts]}/{n}" for n in range(count)]


if __name__ == "__main__":
    uvloop.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
