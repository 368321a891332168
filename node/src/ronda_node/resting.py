"""When not to work: the kill switch, the owner's caps, no network, a pause on the server. What runs is given back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from ronda_node.allowance import Allowance
from ronda_node.clock import steady_seconds
from ronda_node.exchange import Exchanger
from ronda_node.kill_switch import KillSwitch
from ronda_node.network import NO_NETWORK, Network
from ronda_node.slots import Slots
from ronda_node.status import Status

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
# What a kill takes back of the count of this month's bytes.
SAVE_SECONDS = 60.0


class Resting:
    """`server_says`: why the server wants this node to rest, if it does."""

    def __init__(
        self,
        *,
        switch: KillSwitch,
        allowance: Allowance,
        slots: Slots,
        exchanger: Exchanger,
        status: Status,
        network: Network,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self.server_says = ""
        self._working = 0
        self._switch = switch
        self._allowance = allowance
        self._slots = slots
        self._exchanger = exchanger
        self._status = status
        self.network = network
        self._look_seconds = look_seconds
        self._saved_at = steady_seconds()
        self._counted_bytes = exchanger.bandwidth.total_bytes

    async def watch(self) -> None:
        """Until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(self._look_seconds)

    async def until_awake(self) -> None:
        """Return when there may be work, or when it is time to leave."""
        self.look()
        while self._slots.closed_because and not self._status.leaving.is_set():
            await self._status.sleep(self._look_seconds)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        self._working += 1
        try:
            yield
        finally:
            self._working -= 1

    def look(self) -> None:
        self._count()
        if self._status.leaving.is_set():
            return
        if because := self._reason():
            self._rest(because)
        elif self._slots.closed_because and not self._working:
            # Not before all that ran has ended: it must see that it was to stop.
            self._slots.open()
            self._exchanger.open()
            self._status.resting_because = ""
            logger.info("at work again")

    def _reason(self) -> str:
        if self._switch.is_pulled:
            # At once, whatever runs; the other reasons let what was begun come to its end.
            self._exchanger.close()
            return f"it was stopped by its owner ({self._switch.path} exists)"
        if rest := self._allowance.rest():
            return f"{rest.reason}, until {rest.until:%Y-%m-%d %H:%M}"
        return NO_NETWORK if self.network.is_gone else self.server_says

    def _rest(self, because: str) -> None:
        if self._status.resting_because != because:
            logger.info("resting: %s", because)
            self._status.resting_because = because
            self._allowance.save()
        self._slots.close(because)

    def _count(self) -> None:
        total = self._exchanger.bandwidth.total_bytes
        self._allowance.spend(total - self._counted_bytes)
        self._counted_bytes = total
        if steady_seconds() - self._saved_at > SAVE_SECONDS:
            self._saved_at = steady_seconds()
            self._allowance.save()
