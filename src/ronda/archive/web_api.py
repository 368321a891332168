"""The web process as the replay role asks it: over the API, with the token of the home."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import aiohttp

from ronda.configuration import Configuration
from ronda.supervision.home import TOKEN_FILE

TIMEOUT_SECONDS = 30


class WebApi:
    def __init__(self, configuration: Configuration) -> None:
        self._base = f"{configuration.url or configuration.local_url}/api/v1"
        self._configuration = configuration
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> WebApi:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
        self._session = aiohttp.ClientSession(timeout=timeout)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session:
            await self._session.close()

    async def ask(self, path: str, body: dict[str, str]) -> dict[str, Any] | None:
        """None: it was refused."""
        async with self._open().post(self._base + path, json=body, headers=self._headers()) as response:
            if response.status >= 500:
                response.raise_for_status()
            return await response.json() if response.status == 200 else None

    async def index_lines(self, query: list[tuple[str, str]]) -> tuple[int, bytes]:
        """The CDX answer to what pywb asks."""
        async with self._open().get(f"{self._base}/cdx", params=query, headers=self._headers()) as response:
            return response.status, await response.read()

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise RuntimeError("asked before it was opened")
        return self._session

    def _headers(self) -> dict[str, str]:
        """Read each time: `ronda up` writes a new token when the old one was revoked."""
        token = self._configuration.token or (self._configuration.home / TOKEN_FILE).read_text().strip()
        return {"Authorization": f"Bearer {token}"}
