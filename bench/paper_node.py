"""A node that makes its answers up: the server's side at full speed, without a web.

`python -m bench.paper_node URL TOKEN`. It speaks the real protocol and writes real records; only nothing was fetched.
"""

from __future__ import annotations

import asyncio
import sys

from bench.origin import page
from ronda_node.block_file import BlockFile
from ronda_node.clock import utc_now
from ronda_node.fetcher import Fetched
from ronda_node.outcomes import Exchange, FetchRequest, Method
from ronda_node.policy import ANYWHERE
from ronda_node.server import Server
from ronda_node.spool import Spool
from ronda_node.urls import canonicalise

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
BODY = page("/")


def made_up(request: FetchRequest) -> Fetched:
    url = canonicalise(request.url, ANYWHERE)
    text = b"User-agent: *\nAllow: /\n" if request.url.endswith("/robots.txt") else BODY
    body = Spool(1024**2)
    body.append(text)
    exchange = Exchange(
        url=url,
        method=Method.GET,
        request_head=f"GET {url.text} HTTP/1.1\r\nHost: {url.authority}\r\n\r\n".encode(),
        response_head=HEAD % len(text),
        body=body,
        status=200,
        headers=((b"content-type", b"text/html"),),
        peer_address="192.0.2.1",
        started_at=utc_now(),
        first_byte_seconds=0.001,
        total_seconds=0.001,
    )
    return Fetched(request, (exchange,))


async def answer(url: str, token: str) -> None:
    """Until it is stopped."""
    async with Server(url, token) as server:
        node = await server.register(name="paper", version="0", system="paper")
        while True:
            block = await server.lease(node.node_id, 64)
            if not block.hosts:
                await asyncio.sleep(min(0.2, block.come_back_seconds))
                continue
            with BlockFile() as file:
                for host in block.hosts:
                    for number, wanted in host.requests:
                        await file.add(made_up(FetchRequest(number, wanted)))
                file.finish()
                await server.upload(node.node_id, block.id, file.path)


if __name__ == "__main__":
    asyncio.run(answer(*sys.argv[1:3]))
