"""The node protocol, seen from the node."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import aiohttp

from ronda_node import __version__
from ronda_node.errors import ServerRefused

TIMEOUT = aiohttp.ClientTimeout(total=30)


class Server:
    """One connection pool to one Ronda. Every call may be repeated without harm."""

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

    async def register(self, *, name: str, version: str, system: str) -> str:
        answer = await self._post("register", {"name": name, "version": version, "system": system})
        return str(answer["node_id"])

    async def ask_for_work(self, node_id: str) -> float:
        """In how many seconds to ask again."""
        answer = await self._post("lease", {"node_id": node_id})
        return float(answer["come_back_seconds"])

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self._session.post(f"{self._base}/{path}", json=body) as response:
            if response.status >= 400:
                raise ServerRefused(response.status, await _detail(response))
            answer: dict[str, Any] = await response.json()
            return answer


async def _detail(response: aiohttp.ClientResponse) -> str:
    try:
        return str((await response.json(content_type=None))["detail"])
    except (ValueError, KeyError, TypeError):
        return response.reason or "no reason given"
