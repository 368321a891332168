"""The node's life: ask, fetch, upload, ask again, the three overlapping; and outlive whatever happens to the server."""

from __future__ import annotations

import asyncio
import logging
import platform
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import aiohttp

from ronda_node import __version__
from ronda_node.block_file import BlockFile
from ronda_node.climbing import Climber, climb
from ronda_node.clock import steady_seconds
from ronda_node.errors import ServerRefused
from ronda_node.exchange import Exchanger
from ronda_node.fetch_log import FetchLog
from ronda_node.fetcher import Fetched, Fetcher
from ronda_node.host_run import HostWork, Pace, run_hosts
from ronda_node.neighbourhood import Surveyor
from ronda_node.outcomes import FetchRequest
from ronda_node.policy import ANYWHERE, PUBLIC_WEB
from ronda_node.resolution import Resolution, SystemLookup
from ronda_node.server import Block, Registration, Server
from ronda_node.slots import Slots

logger = logging.getLogger(__name__)

T = TypeVar("T")

TURN_SECONDS = 1.0
FIRST_PATIENCE_SECONDS = 1.0
LONGEST_PATIENCE_SECONDS = 60.0
# While one block is fetched, the next is asked for and those before are uploaded, or wait for their hosts' delays.
BLOCKS_AT_ONCE = 8
# Of a lease, this part is for fetching; the rest is for the upload.
FETCHING_SHARE = 0.7


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the owner of the machine says. `slots` None: found by trying."""

    url: str
    token: str
    name: str
    slots: int | None = None
    allow_private_networks: bool = False
    log_path: Path | None = None


class Agent:
    """`on_turn` is called about once a second with a sentence about what the node does."""

    def __init__(self, settings: Settings, *, on_turn: Callable[[str], None]) -> None:
        self.settings = settings
        self.fetched_count = 0
        self._on_turn = on_turn
        self._doing = "starting"
        self._slots = Slots(settings.slots or Climber().size)
        self._asking = asyncio.Lock()

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
        turning = asyncio.create_task(self._turn())
        climbing = None
        if self.settings.slots is None:
            climbing = asyncio.create_task(climb(self._slots, Climber(), lambda: self.fetched_count))
        try:
            async with Server(self.settings.url, self.settings.token) as server:
                await self._work(server)
        finally:
            for task in (turning, climbing):
                if task:
                    task.cancel()

    async def _turn(self) -> None:
        while True:
            self._on_turn(self._doing)
            await asyncio.sleep(TURN_SECONDS)

    async def _work(self, server: Server) -> None:
        registration = await self._patiently(lambda: self._register(server))
        fetcher, exchanger = self._fetcher(registration)
        log = FetchLog(self.settings.log_path) if self.settings.log_path else None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(BLOCKS_AT_ONCE):
                    group.create_task(self._rounds(server, registration, fetcher, log))
        except* ServerRefused as refusals:
            raise refusals.exceptions[0] from None
        finally:
            exchanger.close()
            if log:
                log.close()

    async def _register(self, server: Server) -> Registration:
        system = f"{platform.system()} {platform.machine()}"
        registration = await server.register(name=self.settings.name, version=__version__, system=system)
        logger.info("registered at %s as %r", self.settings.url, self.settings.name)
        return registration

    def _fetcher(self, registration: Registration) -> tuple[Fetcher, Exchanger]:
        # The server cannot talk a node into its owner's network: both must want it.
        is_private_fine = registration.allow_private_networks and self.settings.allow_private_networks
        policy = ANYWHERE if is_private_fine else PUBLIC_WEB
        resolution = Resolution(policy=policy, lookup=SystemLookup(policy), neighbourhood=Surveyor())
        exchanger = Exchanger(user_agent=registration.user_agent, resolution=resolution)
        return Fetcher(exchanger, policy), exchanger

    async def _rounds(
        self, server: Server, registration: Registration, fetcher: Fetcher, log: FetchLog | None
    ) -> None:
        while True:
            block = await self._next_block(server, registration)
            with BlockFile() as file:
                await self._fetch(block, fetcher, file, log)
                await self._upload(server, registration, block, file)

    async def _next_block(self, server: Server, registration: Registration) -> Block:
        """One asks at a time; when there is nothing, all wait with it."""
        async with self._asking:
            while True:
                await self._slots.wait_for_room()
                asked = steady_seconds()
                block = await self._patiently(lambda: server.lease(registration.node_id, self._slots.size))
                if block.hosts:
                    self._doing = f"fetching: {self.fetched_count} URLs so far"
                    # Counted from before the question: our lease must end before the server's does.
                    return Block(block.id, block.hosts, block.lease_seconds - (steady_seconds() - asked), 0.0)
                self._doing = "idle: nothing to do"
                await asyncio.sleep(block.come_back_seconds)

    async def _fetch(self, block: Block, fetcher: Fetcher, file: BlockFile, log: FetchLog | None) -> None:
        async def keep(fetched: Fetched) -> None:
            self.fetched_count += 1
            if log:
                log.write(fetched)
            await file.add(fetched)

        deadline = steady_seconds() + block.lease_seconds * FETCHING_SHARE
        works = [
            HostWork(
                host=host.name,
                requests=tuple(FetchRequest(number, url) for number, url in host.requests),
                pace=Pace(delay_seconds=host.delay_seconds),
                deadline=deadline,
            )
            for host in block.hosts
        ]
        await run_hosts(works, fetcher=fetcher, slots=self._slots, on_fetched=keep)
        if log:
            log.flush()

    async def _upload(
        self, server: Server, registration: Registration, block: Block, file: BlockFile
    ) -> None:
        file.finish()

        async def send() -> int:
            try:
                return await server.upload(registration.node_id, block.id, file.path)
            except ServerRefused as refusal:
                if refusal.status not in (409, 422):
                    raise
                # Over, or not taken: either way there is nothing more to do for this block.
                logger.warning("block %s: %s", block.id, refusal)
                return 0

        await self._patiently(send)

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """The server may be away, busy or restarting: again, less and less often."""
        patience = FIRST_PATIENCE_SECONDS
        while True:
            try:
                return await call()
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                self._doing = "the server does not answer"
                logger.warning("the server does not answer (%s); trying again in %.0f s", error, patience)
            except ServerRefused as refusal:
                if not refusal.is_passing:
                    raise
                self._doing = "the server asked to wait"
                logger.warning("%s", refusal)
            await asyncio.sleep(patience)
            patience = min(patience * 2, LONGEST_PATIENCE_SECONDS)
