"""Names to addresses, asked once: every answer must be allowed, and the very answer is what gets connected to."""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address

from ronda_node.addresses import judge
from ronda_node.neighbourhood import Neighbourhood
from ronda_node.policy import Policy
from ronda_node.reasons import Reason

Lookup = Callable[[str], Awaitable[Sequence[str]]]

KEEP_SECONDS = 60.0
KEEP_FAILURE_SECONDS = 5.0
MOST_NAMES = 10_000
_LOOKUP_THREADS = 32


@dataclass(frozen=True, slots=True)
class Resolved:
    """`addresses` to connect to, in order; or none, and then `reason` and `detail` say why."""

    addresses: tuple[str, ...] = ()
    reason: Reason | None = None
    detail: str = ""


class SystemLookup:
    """The machine's own resolver, in threads of its own: a slow name server must not hold up anything else."""

    def __init__(self, policy: Policy) -> None:
        # A final dot keeps the search domains of a company's network out of it; /etc/hosts does not know it.
        self._suffix = "" if policy.allow_private_networks else "."
        self._threads = ThreadPoolExecutor(_LOOKUP_THREADS, thread_name_prefix="dns")

    async def __call__(self, name: str) -> list[str]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._look_up, name)

    def _look_up(self, name: str) -> list[str]:
        # As bytes: Python would run an older IDNA over a string.
        found = socket.getaddrinfo((name + self._suffix).encode("ascii"), None, type=socket.SOCK_STREAM)
        return [str(entry[4][0]) for entry in found]

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


class Resolution:
    """A short memory of vetted answers, bounded in time and number."""

    def __init__(
        self,
        *,
        policy: Policy,
        lookup: Lookup,
        neighbourhood: Callable[[], Neighbourhood],
        keep_seconds: float = KEEP_SECONDS,
        most_names: int = MOST_NAMES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._policy = policy
        self._lookup = lookup
        self._neighbourhood = neighbourhood
        self._keep_seconds = keep_seconds
        self._most_names = most_names
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Resolved]] = OrderedDict()

    async def resolve(self, host: str, *, within_seconds: float) -> Resolved:
        now = self._clock()
        if (known := self._known.get(host)) and now < known[0]:
            return known[1]
        resolved = await self._ask(host, within_seconds)
        keep_seconds = self._keep_seconds if resolved.addresses else KEEP_FAILURE_SECONDS
        self._known[host] = (now + min(keep_seconds, self._keep_seconds), resolved)
        self._known.move_to_end(host)
        while len(self._known) > self._most_names:
            self._known.popitem(last=False)
        return resolved

    async def _ask(self, host: str, within_seconds: float) -> Resolved:
        try:
            # What the URL spells out needs no name server.
            answers: Sequence[str] = [str(ip_address(host))]
        except ValueError:
            try:
                async with asyncio.timeout(within_seconds):
                    answers = await self._lookup(host)
            except TimeoutError:
                return Resolved(reason=Reason.DNS, detail=f"No answer for {host} in {within_seconds:g} s.")
            except (OSError, UnicodeError) as error:
                return Resolved(reason=Reason.DNS, detail=f"{host}: {error}")
        return self._vetted(host, answers)

    def _vetted(self, host: str, answers: Sequence[str]) -> Resolved:
        if not answers:
            return Resolved(reason=Reason.DNS, detail=f"{host} has no address.")
        around = self._neighbourhood()
        for address in answers:
            verdict = judge(address, around, self._policy)
            if not verdict.is_allowed:
                # One bad answer spoils all: a name that leads inward only now and then still leads inward.
                return Resolved(reason=Reason.REFUSED_ADDRESS, detail=f"{host}: {verdict.reason}.")
        return Resolved(tuple(dict.fromkeys(answers)))
