"""The node protocol, seen from the node. Every call may be repeated without harm."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypedDict

import aiohttp

from ronda_node import __version__
from ronda_node.bandwidth import Bandwidth
from ronda_node.errors import ServerRefused
from ronda_node.host_run import Pace
from ronda_node.outcomes import FetchRequest

TIMEOUT = aiohttp.ClientTimeout(total=30)
# A slow line and a bandwidth cap take their time; a server that does not answer is another matter.
UPLOAD_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=120)
PIECE_BYTES = 64 * 1024
# Whoever leaves waits no longer than this to be heard.
GOODBYE_SECONDS = 2.0
# For work we wait at the server rather than at home; it says sooner if it would not have us.
WAIT_SECONDS = 10.0
# It stands in lines of ours (the journal, headers of records), between others.
_REQUEST_ID = re.compile(r"[A-Za-z0-9_:.-]{1,100}")


class State(TypedDict):
    """What this node says of itself."""

    slots: int
    pending: int
    urls_per_second: float
    doing: str
    resting_because: str


@dataclass(frozen=True)
class Caps:
    """What the owner lets this node take of one answer; none: as much as the server."""

    response_bytes: int | None = None
    response_seconds: float | None = None


UNCAPPED = Caps()


@dataclass(frozen=True)
class Registration:
    """What the server says of itself and of how to fetch."""

    node_id: str
    user_agent: str
    allow_private_networks: bool


@dataclass(frozen=True)
class LeasedHost:
    name: str
    pace: Pace
    requests: tuple[FetchRequest, ...]
    # Its robots.txt, if it has one.
    robots: str = ""


@dataclass(frozen=True)
class Block:
    """Hosts to ask. Without any: when to come back, and if it is not for want of work, why there are none."""

    id: str
    hosts: tuple[LeasedHost, ...]
    lease_seconds: float
    longest_fetch_seconds: float
    come_back_seconds: float
    because: str
    # How many hosts of one address are asked at a time, before the server knows which they are; 0: it does not say.
    hosts_per_address: int = 0


@dataclass(frozen=True)
class Held:
    """For how many seconds more each block is ours, why to rest, if so, and which requests need not be begun.

    `news` stands for the latter two. Empty: this server keeps nobody waiting for news.
    """

    blocks: dict[str, float]
    rest_because: str
    unwanted: frozenset[str] = frozenset()
    news: str = ""


@dataclass(frozen=True)
class Wait:
    """How long we are ready to wait for other news than what we have heard."""

    wait_seconds: float = 0.0
    heard: str = ""


NO_WAIT = Wait()


class Server:
    """One connection pool to one Ronda."""

    def __init__(self, url: str, token: str, bandwidth: Bandwidth) -> None:
        self._bandwidth = bandwidth
        self._base = f"{url.rstrip('/')}/api/v1/grid"
        self._headers = {"Authorization": f"Bearer {token}", "User-Agent": f"ronda-node/{__version__}"}

    async def __aenter__(self) -> Server:
        self._session = aiohttp.ClientSession(headers=self._headers, timeout=TIMEOUT)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def register(
        self, *, name: str, system: str, country: str | None, caps: Caps = UNCAPPED
    ) -> Registration:
        about = {"name": name, "version": __version__, "system": system, "country": country, **asdict(caps)}
        answer = await self._post("register", about)
        return Registration(
            node_id=str(answer["node_id"]),
            user_agent=str(answer["user_agent"]),
            allow_private_networks=bool(answer["allow_private_networks"]),
        )

    async def lease(self, node_id: str, *, block_id: str, state: State) -> Block:
        """We name the block: should the answer not reach us, we can still give it back. Files here are called after it,
        so it stays what we chose, whatever comes back."""
        asking = {
            "node_id": node_id,
            "block": block_id,
            "slots": state["slots"],
            "state": state,
            "wait_seconds": WAIT_SECONDS,
        }
        answer = await self._post("lease", asking)
        hosts = (
            LeasedHost(
                name=str(host["name"]),
                pace=_pace(host),
                requests=tuple(_request(told) for told in host["requests"]),
                robots=str(host["robots"]),
            )
            for host in answer["hosts"]
        )
        return Block(
            id=block_id,
            hosts=tuple(hosts),
            lease_seconds=float(answer["lease_seconds"]),
            longest_fetch_seconds=float(answer["longest_fetch_seconds"]),
            come_back_seconds=float(answer["come_back_seconds"]),
            because=str(answer["because"]),
            hosts_per_address=int(answer.get("hosts_per_address", 0)),
        )

    async def heartbeat(
        self,
        node_id: str,
        *,
        block_ids: list[str],
        state: State,
        timeout_seconds: float,
        wait: Wait = NO_WAIT,
    ) -> Held:
        """One that hangs must not keep the next one back until the lease is over."""
        saying = {"node_id": node_id, "blocks": block_ids, "state": state, **asdict(wait)}
        answer = await self._post("heartbeat", saying, aiohttp.ClientTimeout(total=timeout_seconds))
        return Held(
            blocks={str(held["block"]): float(held["lease_seconds"]) for held in answer["blocks"]},
            rest_because=str(answer["rest_because"]),
            unwanted=frozenset(str(request_id) for request_id in answer.get("unwanted", ())),
            news=str(answer.get("news", "")),
        )

    async def leave(self, node_id: str) -> None:
        timeout = aiohttp.ClientTimeout(total=GOODBYE_SECONDS)
        async with self._session.post(
            f"{self._base}/leave", json={"node_id": node_id}, timeout=timeout
        ) as response:
            if response.status >= 400:
                raise ServerRefused(response.status, await _detail(response))

    async def upload(
        self, node_id: str, block_id: str, *, path: Path | None = None, interrupted: Iterable[str] = ()
    ) -> int:
        """How many requests the server took as answered. Without a file: all is given back."""
        size_bytes = path.stat().st_size if path else 0
        async with self._session.put(
            f"{self._base}/blocks/{block_id}",
            params={"node_id": node_id, "interrupted": ",".join(interrupted)},
            data=self._pieces(path) if path and size_bytes else b"",
            headers={"Content-Type": "application/warc", "Content-Length": str(size_bytes)},
            timeout=UPLOAD_TIMEOUT,
        ) as response:
            return int((await _answer(response))["accepted"])

    async def _pieces(self, path: Path) -> AsyncIterator[bytes]:
        """The same line carries pages in and blocks out: one cap for both."""
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
                if seconds := self._bandwidth.take(len(piece)):
                    await asyncio.sleep(seconds)

    async def _post(
        self, path: str, body: dict[str, Any], timeout: aiohttp.ClientTimeout = TIMEOUT
    ) -> dict[str, Any]:
        async with self._session.post(f"{self._base}/{path}", json=body, timeout=timeout) as response:
            return await _answer(response)


def _pace(told: dict[str, Any]) -> Pace:
    """Servers of older releases know only the delay."""
    return Pace(
        delay_seconds=float(told["delay_seconds"]),
        latency_factor=float(told.get("latency_factor", 0.0)),
        longest_delay_seconds=float(told.get("longest_delay_seconds", 0.0)),
    )


def _request(told: dict[str, Any]) -> FetchRequest:
    """Most are told nothing but the URL, and servers of older releases tell no node more."""
    request_id = str(told["id"])
    if not _REQUEST_ID.fullmatch(request_id):
        raise ServerRefused(502, f"{request_id[:40]!r} cannot be the id of a request")
    return FetchRequest(
        request_id,
        str(told["url"]),
        if_none_match=told.get("etag") or None,
        if_modified_since=told.get("last_modified") or None,
        known_digest=told.get("digest") or None,
    )


async def _answer(response: aiohttp.ClientResponse) -> dict[str, Any]:
    if response.status >= 400:
        raise ServerRefused(response.status, await _detail(response))
    try:
        answer: dict[str, Any] = await response.json()
    except ValueError:
        raise ServerRefused(502, "what came is no JSON, as when something stands in between") from None
    return answer


async def _detail(response: aiohttp.ClientResponse) -> str:
    try:
        return str((await response.json(content_type=None))["detail"])
    except (ValueError, KeyError, TypeError):
        return response.reason or "no reason given"
