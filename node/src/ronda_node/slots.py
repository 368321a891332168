"""How many hosts are asked at the same moment. A host that only waits for its delay holds no slot."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class SlotsClosed(Exception):
    """Work ends here: the kill switch, a cap, or the end of the program."""


class Slots:
    """A semaphore whose size may change while in use, and that can be closed.

    First come first served, but hosts that were begun go before new ones: so their connections are still open, and
    a deadline finds most hosts either done or not begun.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.taken = 0
        self.closed_because: str | None = None
        # Somebody had to wait since this was last cleared: more slots might have been of use.
        self.has_been_full = False
        self._returning: deque[asyncio.Future[None]] = deque()
        self._new: deque[asyncio.Future[None]] = deque()
        self._resting: set[asyncio.Future[None]] = set()
        self._has_room = asyncio.Event()
        self._has_room.set()

    async def take(self, *, is_returning: bool = False) -> None:
        """A slot, to be given back; raises `SlotsClosed`."""
        self._raise_if_closed()
        if self.taken < self.size and not self._returning and (is_returning or not self._new):
            self.taken += 1
            return
        self.has_been_full = True
        turn = asyncio.get_running_loop().create_future()
        (self._returning if is_returning else self._new).append(turn)
        self._note_room()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.give_back()
            raise

    def give_back(self) -> None:
        self.taken -= 1
        self._hand_out()

    async def wait_for_room(self) -> None:
        """Until hardly anybody waits for a slot: time to bring more work, and not before, or hosts are held idle."""
        await self._has_room.wait()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        await self.take()
        try:
            yield
        finally:
            self.give_back()

    async def rest(self, seconds: float) -> None:
        """Wait without a slot; raises `SlotsClosed` as soon as that is so."""
        self._raise_if_closed()
        loop = asyncio.get_running_loop()
        awake = loop.create_future()
        self._resting.add(awake)
        timer = loop.call_later(seconds, _wake, awake)
        try:
            await awake
        finally:
            timer.cancel()
            self._resting.discard(awake)

    def resize(self, size: int) -> None:
        self.size = max(1, size)
        self._hand_out()

    def close(self, because: str) -> None:
        if self.closed_because is None:
            self.closed_because = because
        for future in (*self._returning, *self._new, *self._resting):
            if not future.done():
                future.set_exception(SlotsClosed(because))
        self._returning.clear()
        self._new.clear()
        self._note_room()

    def open(self) -> None:
        self.closed_because = None

    def _hand_out(self) -> None:
        while self.taken < self.size and (waiting := self._returning or self._new):
            turn = waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)
        self._note_room()

    def _note_room(self) -> None:
        if len(self._returning) + len(self._new) <= self.size:
            self._has_room.set()
        else:
            self._has_room.clear()

    def _raise_if_closed(self) -> None:
        if self.closed_because is not None:
            raise SlotsClosed(self.closed_because)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
