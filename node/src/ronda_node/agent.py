"""The node's life: make itself known, ask for work, come back when told; outlive whatever happens to the server."""

from __future__ import annotations

import asyncio
import logging
import platform
import signal
from collections.abc import Callable

import aiohttp

from ronda_node import __version__
from ronda_node.errors import ServerRefused
from ronda_node.server import Server

logger = logging.getLogger(__name__)

TURN_SECONDS = 1.0
FIRST_PATIENCE_SECONDS = 1.0
LONGEST_PATIENCE_SECONDS = 60.0


class Agent:
    """`on_turn` is called about once a second with a sentence about what the node does."""

    def __init__(self, *, url: str, token: str, name: str, on_turn: Callable[[str], None]) -> None:
        self.url = url
        self.token = token
        self.name = name
        self.on_turn = on_turn

    async def run_until_told(self) -> None:
        """Run, and end at the first SIGTERM or Ctrl-C."""
        running = asyncio.create_task(self.run())
        loop = asyncio.get_running_loop()
        for how in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(how, running.cancel)
        await asyncio.wait([running])
        if not running.cancelled():
            running.result()

    async def run(self) -> None:
        """Until cancelled, or until the server says this node is not welcome."""
        patience = FIRST_PATIENCE_SECONDS
        async with Server(self.url, self.token) as server:
            while True:
                try:
                    node_id = await server.register(
                        name=self.name,
                        version=__version__,
                        system=f"{platform.system()} {platform.machine()}",
                    )
                    logger.info("registered at %s as %r", self.url, self.name)
                    patience = FIRST_PATIENCE_SECONDS
                    while True:
                        await self._rest(await server.ask_for_work(node_id), "idle: nothing to do")
                except (aiohttp.ClientError, TimeoutError, OSError) as error:
                    logger.warning("the server does not answer (%s); trying again in %.0f s", error, patience)
                    await self._rest(patience, "the server does not answer")
                    patience = min(patience * 2, LONGEST_PATIENCE_SECONDS)
                except ServerRefused as refusal:
                    if not refusal.is_passing:
                        raise
                    logger.warning("%s", refusal)
                    await self._rest(patience, "the server asked to wait")
                    patience = min(patience * 2, LONGEST_PATIENCE_SECONDS)

    async def _rest(self, seconds: float, sentence: str) -> None:
        while seconds > 0:
            self.on_turn(sentence)
            await asyncio.sleep(min(seconds, TURN_SECONDS))
            seconds -= TURN_SECONDS
