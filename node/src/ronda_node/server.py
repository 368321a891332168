"""The node protocol, seen from the node. Every call may be repeated without harm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import aiohttp

from ronda_node import __version__
from ronda_node.errors import ServerRefused

TIMEOUT = aiohttp.ClientTimeout(total=30)
UPLOAD_TIMEOUT = aiohttp.ClientTimeout(total=600, sock_read=120)


@dataclass(frozen=True)
class Registration:
    """What the server says of itself and of how to fetch."""

    node_id: str
    user_agent: str
    allow_private_networks: bool


@dataclass(frozen=True)
class LeasedHost:
    name: str
    delay_seconds: float
    requests: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Block:
    """Hosts to ask. Without any: when to come back."""

    id: str
    hosts: tuple[LeasedHost, ...]
    lease_seconds: float
    come_back_seconds: float


class Server:
    """One connection pool to one Ronda."""

    def __init__(self, url: str, token: str) -> None:
        self._base = f"{url.rstrip('/')}/api/v1/grid"
        self._headers = {"Authorization": f"Bearer {token}", "User-Agent": f"ronda-node/{__version__}"}

    async def __aenter__(self) -> Server:
        self._session = aiohttp.ClientSession(headers=self._headers, timeout=TIMEOUT)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def register(self, *, name: str, version: str, system: str) -> Registration:
        answer = await self._post("register", {"name": name, "version": version, "system": system})
        return Registration(
            node_id=str(answer["node_id"]),
            user_agent=str(answer["user_agent"]),
            allow_private_networks=bool(answer["allow_private_networks"]),
        )

    async def lease(self, node_id: str, slots: int) -> Block:
        answer = await self._post("lease", {"node_id": node_id, "slots": slots})
        hosts = (
            LeasedHost(
                name=str(host["name"]),
                delay_seconds=float(host["delay_seconds"]),
                requests=tuple((str(request["id"]), str(request["url"])) for request in host["requests"]),
            )
            for host in answer["hosts"]
        )
        return Block(
            id=str(answer["block"]),
            hosts=tuple(hosts),
            lease_seconds=float(answer["lease_seconds"]),
            come_back_seconds=float(answer["come_back_seconds"]),
        )

    async def upload(self, node_id: str, block_id: str, path: Path) -> int:
        """How many requests the server took as answered."""
        with path.open("rb") as body:
            async with self._session.put(
                f"{self._base}/blocks/{block_id}",
                params={"node_id": node_id},
                data=body,
                headers={"Content-Type": "application/warc"},
                timeout=UPLOAD_TIMEOUT,
            ) as response:
                return int((await _answer(response))["accepted"])

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self._session.post(f"{self._base}/{path}", json=body) as response:
            return await _answer(response)


async def _answer(response: aiohttp.ClientResponse) -> dict[str, Any]:
    if response.status >= 400:
        raise ServerRefused(response.status, await _detail(response))
    answer: dict[str, Any] = await response.json()
    return answer


async def _detail(response: aiohttp.ClientResponse) -> str:
    try:
        return str((await response.json(content_type=None))["detail"])
    except (ValueError, KeyError, TypeError):
        return response.reason or "no reason given"
