"""Talks to the server for the rest of the node: patiently, and again after the server forgot us."""

from __future__ import annotations

import asyncio
import logging
import platform
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from typing import TypeVar

import aiohttp

from ronda_node.clock import steady_seconds
from ronda_node.errors import Left, ServerRefused
from ronda_node.held_block import Delivery
from ronda_node.server import NO_WAIT, Block, Caps, Held, Registration, Server, State, Wait
from ronda_node.settings import Settings
from ronda_node.slots import Slots
from ronda_node.status import Status

logger = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_PATIENCE_SECONDS = 0.5
LONGEST_PATIENCE_SECONDS = 30.0
AWAY = (aiohttp.ClientError, TimeoutError, OSError)
# Over, not ours, not taken, too large: there is nothing more to do for such a block.
_SETTLED = (404, 409, 413, 422)


class Liaison:
    def __init__(self, server: Server, *, settings: Settings, slots: Slots, status: Status) -> None:
        self._server = server
        self._settings = settings
        self._slots = slots
        self._status = status
        self._node_id = ""
        # Asked for, and never heard whether they were granted.
        self._unsure: set[str] = set()

    async def register(self) -> Registration:
        system = f"{platform.system()} {platform.machine()}"
        settings = self._settings
        caps = Caps(settings.response_bytes, settings.response_seconds)
        registration = await self._patiently(
            lambda: self._server.register(
                name=settings.name, system=system, country=settings.country, caps=caps
            )
        )
        self._node_id = registration.node_id
        logger.info("registered at %s as %r", self._settings.url, self._settings.name)
        return registration

    @property
    def node_id(self) -> str:
        return self._node_id

    async def ask(self) -> tuple[Block, float]:
        """A block, perhaps without hosts, and when it was asked for; raises `Left` when it is time to leave."""
        return await self._patiently(self._ask)

    async def _ask(self) -> tuple[Block, float]:
        await self._give_back_unsure()
        block_id = str(uuid.uuid4())
        self._unsure.add(block_id)
        asked = steady_seconds()
        block = await self._unless_leaving(
            self._known(lambda: self._server.lease(self._node_id, block_id=block_id, state=self._state()))
        )
        self._unsure.discard(block_id)
        return block, asked

    async def _unless_leaving(self, call: Coroutine[None, None, T]) -> T:
        """The server may keep us waiting for work: then we hang up, and it keeps nothing for us."""
        calling = asyncio.create_task(call)
        leaving = asyncio.create_task(self._status.leaving.wait())
        try:
            await asyncio.wait([calling, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise Left()
            return calling.result()
        finally:
            calling.cancel()
            leaving.cancel()

    async def give_back_unsure(self) -> None:
        """As far as the server can be reached."""
        try:
            await self._give_back_unsure()
        except (*AWAY, ServerRefused) as error:
            logger.warning("cannot give back what may have been granted: %s", error)

    async def _give_back_unsure(self) -> None:
        for block_id in tuple(self._unsure):
            try:
                await self._server.upload(self._node_id, block_id)
            except ServerRefused as refusal:
                if refusal.status not in _SETTLED:
                    raise
            self._unsure.discard(block_id)

    async def say_goodbye(self) -> None:
        """One try, when all is delivered. Servers of older releases do not know the word, and find out in a minute."""
        try:
            await self._server.leave(self._node_id)
        except (*AWAY, ServerRefused) as error:
            logger.debug("left without a goodbye: %s", _said(error))

    async def beat(
        self, block_ids: list[str], *, timeout_seconds: float, wait: Wait = NO_WAIT
    ) -> Held | None:
        """One try: the next beat comes soon enough."""
        try:
            return await self._known(
                lambda: self._server.heartbeat(
                    self._node_id,
                    block_ids=block_ids,
                    state=self._state(),
                    timeout_seconds=timeout_seconds,
                    wait=wait,
                )
            )
        except AWAY as error:
            logger.warning("the server does not hear us: %s", _said(error))
        except ServerRefused as refusal:
            if not refusal.is_passing:
                raise
            logger.warning("%s", refusal)
        except Left:
            logger.debug("leaving: no more signs of life")
        return None

    async def deliver(self, delivery: Delivery) -> None:
        """Until it is taken or refused for good; also while leaving."""

        async def send() -> None:
            try:
                await self._server.upload(
                    delivery.node_id, delivery.id, path=delivery.path, interrupted=delivery.interrupted
                )
            except ServerRefused as refusal:
                if refusal.status not in _SETTLED:
                    raise
                logger.warning("block %s: %s", delivery.id, refusal)

        await self._patiently(send, is_last_wish=True)
        delivery.discard()

    async def _known(self, call: Callable[[], Awaitable[T]]) -> T:
        try:
            return await call()
        except ServerRefused as refusal:
            if not refusal.is_forgotten:
                raise
        await self.register()
        return await call()

    async def _patiently(self, call: Callable[[], Awaitable[T]], *, is_last_wish: bool = False) -> T:
        """The server may be away, busy or restarting: again, less and less often."""
        patience = FIRST_PATIENCE_SECONDS
        while True:
            if self._status.leaving.is_set() and not is_last_wish:
                raise Left()
            try:
                answer = await call()
            except AWAY as error:
                self._status.talking = "the server does not answer"
                logger.warning("the server does not answer (%s); again in %.1f s", _said(error), patience)
            except ServerRefused as refusal:
                if not refusal.is_passing:
                    raise
                self._status.talking = "the server asked to wait"
                logger.warning("%s", refusal)
            else:
                self._status.talking = ""
                return answer
            if is_last_wish:
                await asyncio.sleep(patience)
            else:
                await self._status.sleep(patience)
            patience = min(patience * 2, LONGEST_PATIENCE_SECONDS)

    def _state(self) -> State:
        return {
            "slots": self._slots.size,
            "pending": self._status.pending,
            "urls_per_second": round(self._status.urls_per_second, 3),
            "doing": self._status.doing[:200],
            "resting_because": self._status.resting_because[:200],
        }


def _said(error: BaseException) -> str:
    """Some of these have no words of their own."""
    return str(error) or type(error).__name__
