"""pywb under our care: its settings, its process, and the index it asks.

It reads our WARC files itself, and asks our CDX API where in them things are: through a listener here, on loopback and
behind a key for each collection, which adds the token that pywb need not know.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import aiohttp
from aiohttp import web

from ronda.archive.programs import find
from ronda.archive.replay_settings import ReplaySettings
from ronda.archive.web_api import WebApi
from ronda.processes import die_with_parent

logger = logging.getLogger(__name__)

START_SECONDS = 30
ANSWER_SECONDS = 5


class ReplayServer:
    def __init__(self, home: Path, api: WebApi) -> None:
        self.settings = ReplaySettings(home)
        self._api = api
        self._collections: set[str] = set()
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._index: web.AppRunner | None = None
        self.port = 0

    async def __aenter__(self) -> ReplayServer:
        application = web.Application()
        application.router.add_get("/{key}/{collection}", self._show_index)
        self._index = web.AppRunner(application, access_log=None)
        await self._index.setup()
        site = web.TCPSite(self._index, "127.0.0.1", 0)
        await site.start()
        self.settings.index_port = self._index.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._end()
        if self._index:
            await self._index.cleanup()

    def program(self) -> Path:
        """Raises if it is not installed."""
        return find("wayback")

    async def base_for(self, collection: str) -> str:
        """Where pywb answers for this collection; started, or started again with one more, if need be."""
        async with self._starting:
            if collection not in self._collections or not self._is_running:
                self._collections.add(collection)
                await self._end()
                await self._start()
        return f"http://127.0.0.1:{self.port}"

    async def any_base(self) -> str:
        """Where pywb answers for what belongs to no collection."""
        if not self._collections:
            raise OSError("pywb was not started yet")
        return await self.base_for(next(iter(self._collections)))

    async def is_well(self) -> bool:
        """Not asked for yet, or answering; one that died is started again."""
        if not self._collections or self._starting.locked():
            return True
        if not self._is_running:
            logger.warning("pywb ended; starting it again")
            await self.base_for(next(iter(self._collections)))
        return await self._answers()

    @property
    def _is_running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def _start(self) -> None:
        self.settings.write(self._collections)
        self.port = _free_port()
        self._process = await asyncio.create_subprocess_exec(
            self.program(), "-b", "127.0.0.1", "-p", str(self.port),
            cwd=self.settings.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            preexec_fn=lambda: die_with_parent(signal.SIGKILL),
        )  # fmt: skip
        deadline = time.monotonic() + START_SECONDS
        while self._is_running and time.monotonic() < deadline:
            if await self._answers():
                return
            await asyncio.sleep(0.1)
        raise OSError("pywb does not start")

    async def _end(self) -> None:
        if self._process and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        self._process = None

    async def _answers(self) -> bool:
        timeout = aiohttp.ClientTimeout(total=ANSWER_SECONDS)
        with suppress(aiohttp.ClientError, TimeoutError, OSError):
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(f"http://127.0.0.1:{self.port}/collinfo.json") as response,
            ):
                return response.status == 200
        return False

    async def _show_index(self, request: web.Request) -> web.Response:
        collection = request.match_info["collection"]
        if not self.settings.is_key_of(collection, request.match_info["key"]):
            raise web.HTTPNotFound
        query = [(name, value) for name, value in request.query.items() if value and name != "collection"]
        status, lines = await self._api.index_lines([*query, ("collection", collection)])
        return web.Response(status=status, body=lines, content_type="text/plain")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
