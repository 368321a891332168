"""A node that holds something waits at the server for news, and does without where no server keeps it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import web

from ronda_node.bandwidth import Bandwidth
from ronda_node.deadline import Deadline
from ronda_node.errors import ServerRefused
from ronda_node.heart import Heart
from ronda_node.held_block import HeldBlock
from ronda_node.liaison import Liaison
from ronda_node.resting import Resting
from ronda_node.server import Block, Server
from ronda_node.settings import Settings
from ronda_node.slots import Slots
from ronda_node.status import Status

PATIENCE_SECONDS = 60
NOTHING_NEW: dict[str, Any] = {"blocks": [], "rest_because": "", "unwanted": [], "news": "a0"}
Says = Callable[[dict[str, Any]], Any]


class Beaten:
    """A heart with a block in hand, at a server that answers as `says`."""

    def __init__(self, folder: Path, says: Says) -> None:
        self._folder = folder
        self._says = says
        self.asked: list[dict[str, Any]] = []
        self.status = Status()
        self.resting = SimpleNamespace(server_says="")

    @asynccontextmanager
    async def beating(self) -> AsyncIterator[asyncio.Task[None]]:
        app = web.Application()
        app.router.add_post("/api/v1/grid/heartbeat", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        block = Block("b1", (), 120.0, 10.0, 0.0, "")
        held = HeldBlock(self._folder, block, server=url, node_id="n1", deadline=Deadline(120))
        self.status.held[held.id] = held
        settings = cast(Settings, SimpleNamespace(url=url))
        async with Server(url, "token", Bandwidth(None)) as server:
            liaison = Liaison(server, settings=settings, slots=Slots(4), status=self.status)
            heart = Heart(liaison, resting=cast(Resting, self.resting), status=self.status)
            beating = asyncio.create_task(heart.beat_on())
            try:
                yield beating
            finally:
                beating.cancel()
                await asyncio.wait([beating])
                with held:
                    pass
                await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        said = await request.json()
        self.asked.append(said)
        answer = await self._says(said)
        return answer if isinstance(answer, web.Response) else web.json_response(answer)

    @property
    def kept(self) -> list[dict[str, Any]]:
        """Where it said that it waits, and what it has heard."""
        return [said for said in self.asked if said["wait_seconds"]]


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():
            await asyncio.sleep(0.01)


def test_news_are_heard_before_the_next_beat(tmp_path: Path) -> None:
    async def scenario() -> None:
        happened = asyncio.Event()

        async def says(said: dict[str, Any]) -> dict[str, Any]:
            if said["heard"] == "a0":
                await happened.wait()
                return {**NOTHING_NEW, "unwanted": ["7"], "rest_because": "paused", "news": "b1"}
            return NOTHING_NEW

        heart = Beaten(tmp_path, says)
        async with heart.beating():
            await until(lambda: heart.kept and heart.kept[-1]["heard"] == "a0")
            assert heart.status.unwanted == frozenset()
            happened.set()
            await until(lambda: heart.status.unwanted == {"7"})
            assert heart.resting.server_says == "paused"
            assert len(heart.asked) == len(heart.kept), "no ordinary beat was due yet"

    asyncio.run(scenario())


def test_a_server_that_keeps_nobody_is_not_asked_again_and_again(tmp_path: Path) -> None:
    """An older one, or one where no place is left: it answers at once."""

    async def scenario(answer: dict[str, Any], most: int) -> None:
        async def says(_said: dict[str, Any]) -> dict[str, Any]:
            return answer

        heart = Beaten(tmp_path, says)
        async with heart.beating():
            await until(lambda: len(heart.kept) == most)
            await asyncio.sleep(2.5)
            assert len(heart.asked) == most

    old = {key: value for key, value in NOTHING_NEW.items() if key != "news"}
    asyncio.run(scenario(old, 1))
    asyncio.run(scenario(NOTHING_NEW, 2))


def test_a_node_that_was_removed_hears_so_while_it_waits(tmp_path: Path) -> None:
    async def scenario() -> None:
        async def says(said: dict[str, Any]) -> Any:
            gone = web.json_response({"detail": "removed"}, status=410)
            return gone if said["heard"] else NOTHING_NEW

        heart = Beaten(tmp_path, says)
        async with heart.beating() as beating:
            with pytest.raises(ExceptionGroup) as refused:
                await asyncio.wait_for(asyncio.shield(beating), PATIENCE_SECONDS)
            assert refused.group_contains(ServerRefused, match="removed")

    asyncio.run(scenario())
