"""A node that makes its answers up: the server's side at full speed, without a web.

`python -m bench.paper_node URL TOKEN`. It speaks the real protocol and writes real records; only nothing was fetched.
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.origin import page
from bench.uploads import address_of
from ronda_node.bandwidth import Bandwidth
from ronda_node.clock import utc_now
from ronda_node.fetcher import Fetched
from ronda_node.outcomes import Exchange, FetchRequest, Method
from ronda_node.policy import ANYWHERE
from ronda_node.server import Block, Server, State
from ronda_node.spool import Spool
from ronda_node.urls import canonicalise
from ronda_node.warc_records import write_records

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
BODY = page("/")
ASKED = "GET {url} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: RondaBot/1 (+https://example.org/bot)\r\n\r\n"


def made_up(request: FetchRequest) -> Fetched:
    url = canonicalise(request.url, ANYWHERE)
    text = b"User-agent: *\nAllow: /\n" if request.url.endswith("/robots.txt") else BODY
    body = Spool(1024**2)
    body.append(text)
    exchange = Exchange(
        url=url,
        method=Method.GET,
        request_head=ASKED.format(url=url.text, host=url.authority).encode(),
        response_head=HEAD % len(text),
        body=body,
        status=200,
        headers=((b"content-type", b"text/html"),),
        peer_address=address_of(url.host),
        started_at=utc_now(),
        first_byte_seconds=0.001,
        total_seconds=0.001,
    )
    return Fetched(request, (exchange,))


async def answer(url: str, token: str) -> None:
    """Until it is stopped."""
    state = State(slots=64, pending=0, urls_per_second=0.0, doing="making it up", resting_because="")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "block.warc.gz"
        async with Server(url, token, Bandwidth(None)) as server:
            node = await server.register(name="paper", system="paper", country=None)
            while True:
                block = await server.lease(node.node_id, block_id=str(uuid.uuid4()), state=state)
                if not block.hosts:
                    await asyncio.sleep(min(0.2, block.come_back_seconds))
                    continue
                write_block(block, path)
                await server.upload(node.node_id, block.id, path=path)


def write_block(block: Block, path: Path) -> None:
    with path.open("wb") as file:
        for host in block.hosts:
            for request in host.requests:
                write_records(made_up(request), file.write)


if __name__ == "__main__":
    asyncio.run(answer(*sys.argv[1:3]))
