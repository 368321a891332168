"""The node's life: it makes itself known, brings what an earlier life left, works in rounds, and leaves in order."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import replace

from ronda_node.address_gate import AddressGate
from ronda_node.allowance import Allowance
from ronda_node.bandwidth import Bandwidth
from ronda_node.climbing import Climber, climb
from ronda_node.errors import DiskFailed, Left, NodeError, ServerRefused
from ronda_node.exchange import Exchanger
from ronda_node.fetch_log import MOST_BYTES, FetchLog
from ronda_node.fetcher import Fetcher
from ronda_node.heart import Heart
from ronda_node.held_block import left_behind
from ronda_node.home import NodeHome
from ronda_node.kill_switch import KillSwitch
from ronda_node.liaison import Liaison
from ronda_node.limits import Limits
from ronda_node.neighbourhood import Surveyor
from ronda_node.network import Network, has_route
from ronda_node.policy import ANYWHERE, PUBLIC_WEB, Policy
from ronda_node.resolution import Resolution, SystemLookup
from ronda_node.resting import Resting
from ronda_node.rounds import Rounds
from ronda_node.server import Registration, Server
from ronda_node.settings import Settings
from ronda_node.slots import Slots
from ronda_node.status import Status

logger = logging.getLogger(__name__)

TURN_SECONDS = 1.0
# While one block is fetched, the next is asked for and those before are uploaded, or wait for their hosts' delays.
BLOCKS_AT_ONCE = 8
# What runs when we are told to end has this long to come to its own end; then it is broken off.
GRACE_SECONDS = 2.0
# After this long the server does not get what we have; the next start brings it.
LEAVE_SECONDS = 8.0


class Agent:
    """`on_turn` is called about once a second with a sentence about what the node does."""

    def __init__(self, settings: Settings, *, on_turn: Callable[[str], None]) -> None:
        self.settings = settings
        self.status = Status()
        self._on_turn = on_turn
        self._slots = Slots(settings.slots or Climber().size)
        self._refusal: NodeError | None = None

    async def run_until_told(self) -> None:
        """Run, and leave in order at the first SIGTERM or Ctrl-C; at the second, or when it takes too long, at once."""
        running = asyncio.create_task(self.run())
        loop = asyncio.get_running_loop()

        def told() -> None:
            if self.status.leaving.is_set():
                running.cancel()
            else:
                self.leave()
                loop.call_later(LEAVE_SECONDS, running.cancel)

        for how in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(how, told)
        await asyncio.wait([running])
        if not running.cancelled():
            running.result()

    def leave(self) -> None:
        """Begin nothing more, give back what is not begun, deliver the rest, and end."""
        self.status.leaving.set()
        self._slots.close("leaving")

    async def run(self) -> None:
        """Until told to leave, or until the server says this node is not welcome."""
        with NodeHome(self.settings.home) as home:
            bandwidth = Bandwidth(self.settings.bytes_per_second)
            allowance = Allowance(
                home.usage, bytes_per_month=self.settings.bytes_per_month, hours=self.settings.hours
            )
            turning = asyncio.create_task(self._turn())
            try:
                async with Server(self.settings.url, self.settings.token, bandwidth) as server:
                    await self._live(server, home, bandwidth, allowance)
            except Left:
                logger.debug("left before there was anything to do")
            finally:
                turning.cancel()
                allowance.save()
        if self._refusal:
            raise self._refusal

    async def _turn(self) -> None:
        while True:
            self.status.turn()
            self._on_turn(self.status.doing)
            await asyncio.sleep(TURN_SECONDS)

    async def _live(self, server: Server, home: NodeHome, bandwidth: Bandwidth, allowance: Allowance) -> None:
        liaison = Liaison(server, settings=self.settings, slots=self._slots, status=self.status)
        registration = await liaison.register()
        with closing(self._log(home)) as log:
            for delivery in left_behind(home.blocks, server=self.settings.url):
                logger.info("bringing block %s, which an earlier process had in hand", delivery.id)
                log.write_broken_off(delivery.begun)
                await liaison.deliver(delivery)
            await self._fetch(liaison, registration, home, bandwidth, allowance, log)
        await liaison.say_goodbye()

    def _log(self, home: NodeHome) -> FetchLog:
        return FetchLog(self.settings.log_path or home.log, most_bytes=self.settings.log_bytes or MOST_BYTES)

    async def _fetch(
        self,
        liaison: Liaison,
        registration: Registration,
        home: NodeHome,
        bandwidth: Bandwidth,
        allowance: Allowance,
        log: FetchLog,
    ) -> None:
        policy = self._policy(registration)
        lookup = SystemLookup(policy)
        exchanger = self._exchanger(registration, bandwidth, policy, lookup)
        # Hosts of a private network need no way into the world.
        network = Network(lookup, has_route=(lambda: True) if policy.allow_private_networks else has_route)
        resting = Resting(
            switch=KillSwitch(home.stop),
            allowance=allowance,
            slots=self._slots,
            exchanger=exchanger,
            status=self.status,
            network=network,
        )
        fetcher = Fetcher(exchanger, policy)
        rounds = Rounds(
            server_url=self.settings.url,
            home=home,
            liaison=liaison,
            resting=resting,
            fetcher=fetcher,
            gate=AddressGate(fetcher),
            slots=self._slots,
            status=self.status,
            log=log,
        )
        try:
            await self._work(rounds, Heart(liaison, resting=resting, status=self.status), exchanger)
            await liaison.give_back_unsure()
        finally:
            exchanger.close()
            resting.look()

    async def _work(self, rounds: Rounds, heart: Heart, exchanger: Exchanger) -> None:
        """The rounds, and beside them what lasts as long as they do."""
        async with asyncio.TaskGroup() as beside:
            companions = [
                beside.create_task(self._unless_refused(heart.beat_on())),
                beside.create_task(rounds.resting.watch()),
                beside.create_task(rounds.resting.network.watch()),
                beside.create_task(self._break_off(exchanger)),
            ]
            if self.settings.slots is None:
                climbing = climb(self._slots, Climber(), lambda: self.status.fetched_count)
                companions.append(beside.create_task(climbing))
            async with asyncio.TaskGroup() as working:
                for _ in range(BLOCKS_AT_ONCE):
                    working.create_task(self._unless_refused(rounds.go()))
            for companion in companions:
                companion.cancel()

    async def _unless_refused(self, doing: Coroutine[None, None, None]) -> None:
        """Not welcome any more, or the disk is full: the others end in order, and what they have is delivered."""
        try:
            await doing
        except* ServerRefused as refusals:
            self._end_because(_first_of(refusals))
        except* OSError as failures:
            # Those of the network never come this far.
            self._end_because(DiskFailed(f"What was fetched cannot be kept: {_first_of(failures)}."))

    def _end_because(self, error: BaseException) -> None:
        if isinstance(error, NodeError):
            self._refusal = self._refusal or error
        self.leave()

    async def _break_off(self, exchanger: Exchanger) -> None:
        await self.status.leaving.wait()
        await asyncio.sleep(GRACE_SECONDS)
        exchanger.close()

    def _policy(self, registration: Registration) -> Policy:
        # The server cannot talk a node into its owner's network: both must want it.
        is_private_fine = registration.allow_private_networks and self.settings.allow_private_networks
        return ANYWHERE if is_private_fine else PUBLIC_WEB

    def _exchanger(
        self, registration: Registration, bandwidth: Bandwidth, policy: Policy, lookup: SystemLookup
    ) -> Exchanger:
        resolution = Resolution(policy=policy, lookup=lookup, neighbourhood=Surveyor())
        return Exchanger(
            user_agent=registration.user_agent,
            resolution=resolution,
            limits=self._limits(),
            bandwidth=bandwidth,
        )

    def _limits(self) -> Limits:
        limits, settings = Limits(), self.settings
        return replace(
            limits,
            wire_bytes=min(limits.wire_bytes, settings.response_bytes or limits.wire_bytes),
            total_seconds=min(limits.total_seconds, settings.response_seconds or limits.total_seconds),
        )


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
