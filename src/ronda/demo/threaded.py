"""The demo server in a thread of its own, for tests and programs that are not asynchronous."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ronda.demo.clock import DemoClock
from ronda.demo.server import DemoServer
from ronda.demo.world import DemoWorld

STOP_SECONDS = 10.0


@contextmanager
def serve_in_thread(
    world: DemoWorld,
    clock: DemoClock,
    *,
    port: int = 0,
    access_log_path: Path | None = None,
    wiki_requests_per_minute: int | None = None,
) -> Iterator[DemoServer]:
    """A server that listens inside the `with` block. What keeps it from starting is raised here."""
    server = DemoServer(
        world,
        clock,
        port=port,
        access_log_path=access_log_path,
        wiki_requests_per_minute=wiki_requests_per_minute,
    )
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="demo-server", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(STOP_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_SECONDS)
        loop.close()
