"""The demo role: serves the demo's web and wiki on loopback while `ronda up --demo` runs."""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import suppress

from ronda.configuration import Configuration
from ronda.demo import DemoClock, DemoServer, DemoWorld, PortError
from ronda.supervision.child import Child

logger = logging.getLogger(__name__)

TURN_SECONDS = 1.0


def run(child: Child, configuration: Configuration) -> None:
    asyncio.run(_serve(child, configuration))


async def _serve(child: Child, configuration: Configuration) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for how in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(how, stopped.set)
    server = await _start(configuration)
    logger.info("the demo's web: %s (%d sites)", server.index_url, len(server.world.sites))
    try:
        while not stopped.is_set():
            child.beat(server.index_url)  # the console links to what a demo process says it is doing
            with suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), TURN_SECONDS)
    finally:
        await server.stop()


async def _start(configuration: Configuration) -> DemoServer:
    """On the usual port, so that addresses stay the same from start to start; on any other if that is taken."""
    world = DemoWorld()
    clock = DemoClock(speed=configuration.demo_speed)
    try:
        server = DemoServer(world, clock, port=configuration.demo_port)
        await server.start()
    except PortError as error:
        logger.warning("%s Taking any free port.", error)
        server = DemoServer(world, clock, port=0)
        await server.start()
    return server
