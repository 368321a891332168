"""Signs of life: what the node holds it keeps, and the server knows how it is."""

from __future__ import annotations

import asyncio
import logging

from ronda_node.clock import steady_seconds
from ronda_node.held_block import HeldBlock
from ronda_node.liaison import Liaison
from ronda_node.resting import Resting
from ronda_node.server import Held, Wait
from ronda_node.status import Status

logger = logging.getLogger(__name__)

LONGEST_PAUSE_SECONDS = 15.0
LOOK_SECONDS = 1.0
# Four tries in a lease: the server may be restarting.
BEATS_PER_LEASE = 4
# An answer to waiting has so much longer than we wait.
WIRE_SECONDS = 5.0


class Heart:
    def __init__(self, liaison: Liaison, *, resting: Resting, status: Status) -> None:
        self._liaison = liaison
        self._resting = resting
        self._status = status
        self._heard = ""

    async def beat_on(self) -> None:
        """Until cancelled, also while leaving: what is not yet delivered is still ours."""
        while True:
            await self._pause()
            await self.beat()

    async def beat(self) -> None:
        tired = [block for block in self._status.held.values() if _is_tired(block)]
        asked = steady_seconds()
        held = await self._liaison.beat([block.id for block in tired], timeout_seconds=self._beat_seconds())
        if held is None:
            return
        self._take(held)
        for block in tired:
            seconds = held.blocks.get(block.id)
            if seconds is not None:
                block.deadline.extend(seconds, since=asked)
            elif block.id in self._status.held:
                logger.warning("block %s went to others", block.id)
                block.deadline.end()

    def _take(self, held: Held) -> None:
        self._resting.server_says = held.rest_because
        self._status.unwanted = held.unwanted
        self._heard = held.news

    async def _pause(self) -> None:
        """Until the next beat is due; shorter when there is news for who watches."""
        until, told = steady_seconds() + self._beat_seconds(), self._status.resting_because
        async with asyncio.TaskGroup() as beside:
            hearing = beside.create_task(self._hear(until))
            while (left := until - steady_seconds()) > 0 and self._status.resting_because == told:
                await asyncio.sleep(min(left, LOOK_SECONDS))
            hearing.cancel()

    async def _hear(self, until: float) -> None:
        """While we hold something we wait at the server: it may be wanted no longer."""
        while (left := until - steady_seconds()) > LOOK_SECONDS:
            if self._status.held:
                wait = Wait(left - LOOK_SECONDS, self._heard)
                held = await self._liaison.beat([], timeout_seconds=left + WIRE_SECONDS, wait=wait)
                if held is None or held.news in ("", self._heard):
                    # Nothing new, no place for us to wait, or a server that keeps nobody: the next beat will tell.
                    return
                self._take(held)
            await asyncio.sleep(LOOK_SECONDS)

    def _beat_seconds(self) -> float:
        leases = [block.block.lease_seconds for block in self._status.held.values()]
        return min([LONGEST_PAUSE_SECONDS, *(seconds / BEATS_PER_LEASE for seconds in leases)])


def _is_tired(block: HeldBlock) -> bool:
    """Most blocks are done before this: their hosts need no second lease."""
    return block.deadline.seconds_left() < block.block.lease_seconds * (1 - 1 / BEATS_PER_LEASE)
