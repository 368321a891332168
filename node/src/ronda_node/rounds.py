"""Ask, fetch, deliver, ask again: one round after the other. Several go on at once, so that the line never idles."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ronda_node.address_gate import AddressGate
from ronda_node.deadline import Deadline
from ronda_node.errors import Left
from ronda_node.fetch_log import FetchLog
from ronda_node.fetcher import Fetched, Fetcher
from ronda_node.held_block import HeldBlock
from ronda_node.home import NodeHome
from ronda_node.host_run import HostWork, run_hosts
from ronda_node.liaison import Liaison
from ronda_node.resting import Resting
from ronda_node.robots import Rules
from ronda_node.slots import Slots
from ronda_node.status import Status


@dataclass(kw_only=True)
class Rounds:
    server_url: str
    home: NodeHome
    liaison: Liaison
    resting: Resting
    fetcher: Fetcher
    slots: Slots
    status: Status
    gate: AddressGate
    log: FetchLog | None = None
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    _has_delivered: asyncio.Event = field(default_factory=asyncio.Event)

    async def go(self) -> None:
        """Until it is time to leave; then everything in hand has been delivered."""
        try:
            while True:
                with await self._next_block() as held:
                    self.status.held[held.id] = held
                    try:
                        await self._fetch(held)
                        await self.liaison.deliver(held)
                        self._has_delivered.set()
                    finally:
                        del self.status.held[held.id]
        except Left:
            return

    async def _next_block(self) -> HeldBlock:
        """One asks at a time; when there is nothing, all wait with it."""
        async with self._asking:
            while True:
                await self.slots.wait_for_room()
                await self.resting.until_awake()
                self._has_delivered.clear()
                block, asked = await self.liaison.ask()
                self.resting.server_says = block.because
                if block.hosts:
                    return HeldBlock(
                        self.home.blocks,
                        block,
                        server=self.server_url,
                        node_id=self.liaison.node_id,
                        deadline=Deadline(block.lease_seconds, since=asked),
                    )
                self.status.talking = "idle: nothing to do"
                await self._wait(block.come_back_seconds)

    async def _wait(self, seconds: float) -> None:
        """As the server says; but what we deliver frees hosts, and then it is worth asking again."""
        delivered = asyncio.create_task(self._has_delivered.wait())
        slept = asyncio.create_task(self.status.sleep(seconds))
        try:
            await asyncio.wait([delivered, slept], return_when=asyncio.FIRST_COMPLETED)
        finally:
            delivered.cancel()
            slept.cancel()

    async def _fetch(self, held: HeldBlock) -> None:
        async def keep(fetched: Fetched) -> None:
            if await self.resting.network.is_to_blame(fetched):
                held.give_back(fetched.request)
                fetched.close()
                return
            self.status.fetched_count += 1
            if self.log:
                self.log.write(fetched)
            await held.add(fetched)

        works = [
            HostWork(
                host=host.name,
                requests=host.requests,
                pace=host.pace,
                deadline=held.deadline,
                longest_fetch_seconds=held.block.longest_fetch_seconds,
                place_for=lambda request: self.gate.place(request, held.block.hosts_per_address),
                is_wanted=lambda request: request.id not in self.status.unwanted,
                may_fetch=Rules(host.robots, (request.url for request in host.requests)).may_fetch,
            )
            for host in held.block.hosts
        ]
        with self.resting.at_work():
            await run_hosts(
                works, fetcher=self.fetcher, slots=self.slots, on_fetched=keep, on_begun=held.begin
            )
