"""The replay role: pywb, run as a program of its own, behind a guard that lets in whom the console let in.

pywb is started when the first page is asked for. While it runs, this process beats only as long as pywb answers.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from contextlib import suppress

from aiohttp import web

from ronda.archive.replay_guard import Guard
from ronda.archive.replay_origins import ReplayOrigins
from ronda.archive.replay_server import ReplayServer
from ronda.archive.web_api import WebApi
from ronda.configuration import Configuration
from ronda.errors import Unavailable
from ronda.supervision.child import BEAT_SECONDS, Child

logger = logging.getLogger(__name__)

GRACE_SECONDS = 3


def run(child: Child, configuration: Configuration) -> None:
    asyncio.run(_serve(child, configuration))


async def _serve(child: Child, configuration: Configuration) -> None:
    stopped = asyncio.Event()
    for how in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(how, stopped.set)
    async with WebApi(configuration) as api, ReplayServer(configuration.home, api) as server:
        origins = ReplayOrigins(configuration)
        application = Guard(api, server, origins, configuration).application()
        guard = web.AppRunner(application, access_log=None, shutdown_timeout=GRACE_SECONDS)
        origins.runner = guard
        await guard.setup()
        try:
            await _beat(child, configuration, guard, server, stopped)
        finally:
            await guard.cleanup()


async def _beat(
    child: Child,
    configuration: Configuration,
    guard: web.AppRunner,
    server: ReplayServer,
    stopped: asyncio.Event,
) -> None:
    is_listening = False
    while not stopped.is_set():
        if not is_listening:
            is_listening = await _listen(guard, configuration, child)
        if is_listening and await server.is_well():
            child.beat(_doing(configuration, server))
        with suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), BEAT_SECONDS)


async def _listen(guard: web.AppRunner, configuration: Configuration, child: Child) -> bool:
    """A port that is taken is no reason to keep dying: it may be free later, and all else works without a replay."""
    host, port = configuration.host, configuration.port_of_replay
    try:
        await web.TCPSite(guard, host, port).start()
    except OSError as error:
        child.beat(f"cannot listen on {host}:{port} ({error.strerror}): choose RONDA_REPLAY_PORT")
        return False
    return True


def _doing(configuration: Configuration, server: ReplayServer) -> str:
    try:
        server.program()
    except Unavailable as error:
        return f"replay is not installed: {error}"
    return configuration.replay_origin
