"""One host's requests, one after the other, as far apart as it wants them, until done, told to stop, or late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import StrEnum

from ronda_node.clock import steady_seconds, utc_now
from ronda_node.deadline import Deadline
from ronda_node.fetcher import Fetched, Fetcher, MayFetch
from ronda_node.outcomes import Exchange, Failure, FetchRequest
from ronda_node.reasons import BEFORE_THE_HOST, OF_THE_HOST, Reason
from ronda_node.slots import Slots, SlotsClosed

# Hears of every request before its host is asked.
OnBegun = Callable[[FetchRequest], None]
# Gets every result as soon as it is there, and closes it.
OnFetched = Callable[[Fetched], Awaitable[None]]

MOST_HOST_FAILURES = 3
LONGEST_RETRY_AFTER_SECONDS = 24 * 3600.0
_BUSY = frozenset({429, 503})
# Every other URL of the host would fail on these as well, and at once.
_HOPELESS = frozenset({Reason.DNS, Reason.REFUSED_ADDRESS})


class Stop(StrEnum):
    DONE = "done"
    DEADLINE = "deadline"
    BACK_OFF = "back-off"
    UNREACHABLE = "unreachable"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The delay between the end of a fetch and the next: max(delay, factor × last latency), the latter capped."""

    delay_seconds: float
    latency_factor: float = 0.0
    longest_delay_seconds: float = 60.0

    def delay_after(self, latency_seconds: float) -> float:
        by_latency = min(self.latency_factor * latency_seconds, self.longest_delay_seconds)
        return max(self.delay_seconds, by_latency)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWork:
    """Nothing is begun after `deadline`; what was begun before may take `longest_fetch_seconds`, which the server's
    guard time allows for. `wait_seconds` is what remains of the delay since somebody else's fetch. `is_wanted`: what
    was cancelled meanwhile is left out. `place_for`: where it waits for its turn, before it takes a slot."""

    host: str
    requests: tuple[FetchRequest, ...]
    pace: Pace
    deadline: Deadline
    longest_fetch_seconds: float | None = None
    wait_seconds: float = 0.0
    may_fetch: MayFetch = lambda url: True
    is_wanted: Callable[[FetchRequest], bool] = lambda request: True
    place_for: Callable[[FetchRequest], AbstractAsyncContextManager[None]] = lambda request: nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostReport:
    """`given_back` were not asked, or not to the end. `last_ended` is by `steady_seconds`."""

    host: str
    stop: Stop
    fetched_count: int
    given_back: tuple[FetchRequest, ...] = ()
    retry_after_seconds: float | None = None
    last_latency_seconds: float | None = None
    last_ended: float | None = None


class HostRun:
    """One host of a block, from its first request to its report."""

    def __init__(
        self,
        work: HostWork,
        *,
        fetcher: Fetcher,
        slots: Slots,
        on_fetched: OnFetched,
        on_begun: OnBegun = lambda request: None,
    ) -> None:
        self._work = work
        self._fetcher = fetcher
        self._slots = slots
        self._on_fetched = on_fetched
        self._on_begun = on_begun
        self._fetched_count = 0
        self._failures_in_a_row = 0
        self._retry_after_seconds: float | None = None
        self._last_latency_seconds: float | None = None
        self._last_ended: float | None = None

    async def run(self) -> HostReport:
        index = 0
        try:
            for index, request in enumerate(self._work.requests):
                if not self._work.is_wanted(request):
                    continue
                wait_seconds = self._wait_seconds()
                if self._is_too_late(wait_seconds):
                    return self._report(Stop.DEADLINE, index)
                if wait_seconds > 0:
                    await self._slots.rest(wait_seconds)
                async with self._work.place_for(request):
                    verdict = await self._fetch(request)
                if verdict is not Stop.DONE:
                    return self._report(verdict, index)
                if stop_now := self._reason_to_stop():
                    return self._report(stop_now, index + 1)
        except SlotsClosed:
            return self._report(Stop.STOPPED, index)
        return self._report(Stop.DONE, len(self._work.requests))

    async def _fetch(self, request: FetchRequest) -> Stop:
        """`DONE`, or why this request does not count as asked."""
        await self._slots.take(is_returning=self._last_ended is not None)
        if not self._work.is_wanted(request):
            self._slots.give_back()
            return Stop.DONE
        if self._is_too_late(0.0):
            self._slots.give_back()
            return Stop.DEADLINE
        has_slot, was_stopped = True, False

        async def pause(latency_seconds: float) -> bool:
            nonlocal has_slot, was_stopped
            self._note_end(latency_seconds)
            delay = self._work.pace.delay_after(latency_seconds)
            if self._is_too_late(delay):
                return False
            self._slots.give_back()
            has_slot = False
            try:
                await self._slots.rest(delay)
                await self._slots.take(is_returning=True)
            except SlotsClosed:
                was_stopped = True
                return False
            has_slot = True
            return not self._is_too_late(0.0)

        try:
            self._on_begun(request)
            fetched = await self._fetcher.fetch(
                request,
                may_fetch=self._work.may_fetch,
                pause=pause,
                within_seconds=self._work.longest_fetch_seconds,
            )
        finally:
            if has_slot:
                self._slots.give_back()
        if was_stopped:
            # Half a chain of redirects is no answer: whoever is next follows it from its start.
            fetched.close()
            return Stop.STOPPED
        return await self._take(fetched)

    async def _take(self, fetched: Fetched) -> Stop:
        last = fetched.last
        if isinstance(last, Exchange) or last.reason not in BEFORE_THE_HOST:
            self._note_end(last.total_seconds)
        if isinstance(last, Failure) and last.reason is Reason.STOPPED:
            fetched.close()
            return Stop.STOPPED
        self._fetched_count += 1
        self._judge(last)
        await self._on_fetched(fetched)
        return Stop.DONE

    def _judge(self, last: Exchange | Failure) -> None:
        if isinstance(last, Exchange):
            self._failures_in_a_row = 0
            if last.status in _BUSY:
                self._retry_after_seconds = retry_after_seconds(last.header(b"retry-after")) or 0.0
        elif last.reason in _HOPELESS:
            self._failures_in_a_row = MOST_HOST_FAILURES
        elif last.reason in OF_THE_HOST:
            self._failures_in_a_row += 1
        else:
            self._failures_in_a_row = 0

    def _reason_to_stop(self) -> Stop | None:
        if self._retry_after_seconds is not None:
            return Stop.BACK_OFF
        return Stop.UNREACHABLE if self._failures_in_a_row >= MOST_HOST_FAILURES else None

    def _note_end(self, latency_seconds: float) -> None:
        self._last_latency_seconds = latency_seconds
        self._last_ended = steady_seconds()

    def _wait_seconds(self) -> float:
        if self._last_ended is None or self._last_latency_seconds is None:
            return self._work.wait_seconds
        elapsed = steady_seconds() - self._last_ended
        return self._work.pace.delay_after(self._last_latency_seconds) - elapsed

    def _is_too_late(self, wait_seconds: float) -> bool:
        return self._work.deadline.is_within(wait_seconds)

    def _report(self, stop: Stop, done: int) -> HostReport:
        return HostReport(
            host=self._work.host,
            stop=stop,
            fetched_count=self._fetched_count,
            given_back=self._work.requests[done:],
            retry_after_seconds=self._retry_after_seconds or None,
            last_latency_seconds=self._last_latency_seconds,
            last_ended=self._last_ended,
        )


def retry_after_seconds(value: bytes | None) -> float | None:
    """Seconds or a date; none if absent, unreadable, zero or past."""
    text = (value or b"").decode("latin-1").strip()
    if text.isascii() and text.isdigit():
        seconds = float(text)
    else:
        try:
            when = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        seconds = ((when if when.tzinfo else when.replace(tzinfo=UTC)) - utc_now()).total_seconds()
    return min(seconds, LONGEST_RETRY_AFTER_SECONDS) if seconds > 0 else None


async def run_hosts(
    works: Iterable[HostWork],
    *,
    fetcher: Fetcher,
    slots: Slots,
    on_fetched: OnFetched,
    on_begun: OnBegun = lambda request: None,
) -> list[HostReport]:
    """All hosts of a block; who fetches now is for the slots to say."""
    async with asyncio.TaskGroup() as group:
        running = [
            group.create_task(
                HostRun(work, fetcher=fetcher, slots=slots, on_fetched=on_fetched, on_begun=on_begun).run()
            )
            for work in works
        ]
    return [task.result() for task in running]
