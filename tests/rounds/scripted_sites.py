"""A host that answers as a test says, one path at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from tests.node.origin import Visitor, serve

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
Answer = Callable[[str, Visitor], Awaitable[None]]


@contextmanager
def site(answer: Answer) -> Iterator[str]:
    """A host that answers as the test says; without a robots.txt."""

    async def script(visitor: Visitor) -> None:
        while head := await visitor.request():
            path = head.split(b" ")[1].decode("latin-1")
            if path == "/robots.txt":
                await visitor.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            else:
                await answer(path, visitor)

    ready, port = threading.Event(), []
    stop = asyncio.Event()
    loop = asyncio.new_event_loop()

    async def run() -> None:
        async with serve(script) as origin:
            port.append(origin.port)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=[run()])
    thread.start()
    ready.wait(30)
    try:
        yield f"http://127.0.0.1:{port[0]}/"
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        loop.close()


async def send_page(visitor: Visitor, body: bytes, *headers: bytes) -> None:
    lines = b"".join(header + b"\r\n" for header in headers)
    await visitor.send(HTML + lines + b"Content-Length: %d\r\n\r\n" % len(body) + body)
