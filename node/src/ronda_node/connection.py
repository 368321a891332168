"""One connection, one exchange at a time on it, watched by one timer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from typing import cast

from ronda_node.bandwidth import Bandwidth
from ronda_node.limits import Limits
from ronda_node.outcomes import Truncation
from ronda_node.response_reader import ResponseReader, ResponseRefused


class Ending(Enum):
    """How an exchange came to its end. The reader knows what was read until then."""

    OVER = auto()
    CLOSED = auto()
    LATE = auto()


class Connection(asyncio.Protocol):
    def __init__(self, bandwidth: Bandwidth) -> None:
        self.is_open = False
        self.has_served = False
        self.on_close: Callable[[Connection], None] | None = None
        self.first_byte_at = 0.0
        self._bandwidth = bandwidth
        self._loop = asyncio.get_running_loop()
        self._reader: ResponseReader | None = None
        self._ending: asyncio.Future[Ending] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_at_eof = False
        self._pausing: asyncio.TimerHandle | None = None

    async def exchange(self, request: bytes, reader: ResponseReader, limits: Limits) -> Ending:
        """Send, and read until the reader has enough; may raise `ResponseRefused`."""
        now = self._loop.time()
        self._reader, self._limits = reader, limits
        self._ending = self._loop.create_future()
        self._late_at = now + limits.total_seconds
        self._check_at = now + limits.first_byte_seconds
        self._received_bytes = 0
        self.first_byte_at = 0.0
        self._watch()
        try:
            self._transport.write(request)
            return await self._ending
        except asyncio.CancelledError:
            self.abort()
            raise
        finally:
            self._reader = self._ending = None
            self.has_served = True

    def rest(self, seconds: float) -> None:
        """Stay open, unused, for so long at most."""
        self._late_at = self._check_at = self._loop.time() + seconds
        self._watch()

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._transport.close()

    def abort(self) -> None:
        """At once, whatever is still on its way."""
        self.is_open = False
        self._transport.abort()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        seconds = self._bandwidth.take(len(data))
        reader = self._reader
        if reader is None or reader.is_over:
            # Nothing was asked: whatever this is, the next answer could not be told from it.
            self.abort()
            return
        if seconds and not self._pausing:
            self._transport.pause_reading()
            self._pausing = self._loop.call_later(seconds, self._resume)
        is_first = not self.first_byte_at
        if is_first:
            self.first_byte_at = self._loop.time()
            self._check_at = self.first_byte_at + self._limits.progress_seconds
        self._received_bytes += len(data)
        try:
            reader.feed(data)
        except ResponseRefused as refusal:
            self._refuse(refusal)
            return
        if reader.is_over:
            self._end(Ending.OVER)
        elif is_first:
            self._watch()

    def eof_received(self) -> None:
        self._is_at_eof = True

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        for timer in (self._timer, self._pausing):
            if timer:
                timer.cancel()
        if self._reader and not self._reader.is_over:
            try:
                # Without a goodbye, an open-ended body may be half a body; our own abort says none either.
                self._reader.feed_eof(is_clean=error is None and self._is_at_eof)
            except ResponseRefused as refusal:
                self._refuse(refusal)
            self._end(Ending.CLOSED)
        if self.on_close:
            self.on_close(self)

    # The timer: set again rather than cancelled and made anew, as most exchanges end long before it.

    def _watch(self) -> None:
        due = min(self._late_at, self._check_at)
        if self._timer is None or self._timer.cancelled() or self._timer.when() > due:
            if self._timer:
                self._timer.cancel()
            self._timer = self._loop.call_at(due, self._check)

    def _check(self) -> None:
        self._timer = None
        now = self._loop.time()
        if not self.is_open:
            return
        if now >= self._late_at or (now >= self._check_at and self._is_stalled()):
            self._be_late()
        elif now >= self._check_at:
            self._received_bytes = 0
            self._check_at = now + self._limits.progress_seconds
            self._watch()
        else:
            self._watch()

    def _is_stalled(self) -> bool:
        if self._pausing:
            return False
        return not self.first_byte_at or self._received_bytes < self._limits.progress_bytes

    def _be_late(self) -> None:
        reader = self._reader
        if reader and not reader.is_over and reader.has_head:
            reader.cut(Truncation.TIME)
        self._end(Ending.LATE)
        self.abort()

    def _resume(self) -> None:
        self._pausing = None
        # What came during the pause is counted when it is read; the window starts anew.
        self._received_bytes = self._limits.progress_bytes
        if self.is_open:
            self._transport.resume_reading()

    def _end(self, ending: Ending) -> None:
        if self._ending and not self._ending.done():
            self._ending.set_result(ending)

    def _refuse(self, refusal: ResponseRefused) -> None:
        if self._ending and not self._ending.done():
            self._ending.set_exception(refusal)
        self.abort()
