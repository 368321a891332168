"""What a server tells a node is work, not a way into its machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import web

from ronda_node.bandwidth import Bandwidth
from ronda_node.deadline import Deadline
from ronda_node.errors import ServerRefused
from ronda_node.held_block import HeldBlock
from ronda_node.liaison import Liaison
from ronda_node.server import Server, State
from ronda_node.settings import Settings
from ronda_node.slots import Slots
from ronda_node.status import Status

STATE: State = {"slots": 1, "pending": 0, "urls_per_second": 0.0, "doing": "", "resting_because": ""}


def work(block: str, request_id: str = "1") -> dict[str, Any]:
    host = {
        "name": "a.example",
        "delay_seconds": 0,
        "robots": "",
        "requests": [{"id": request_id, "url": "http://a.example/"}],
    }
    return {
        "block": block,
        "hosts": [host],
        "lease_seconds": 60,
        "longest_fetch_seconds": 10,
        "come_back_seconds": 0,
        "because": "",
    }


@asynccontextmanager
async def server_that_says(
    answer: dict[str, Any], heard: list[dict[str, Any]] | None = None, *, knows_leaving: bool = True
) -> AsyncIterator[Server]:
    async def say(request: web.Request) -> web.Response:
        if heard is not None:
            heard.append(await request.json())
        return web.json_response(answer)

    app = web.Application()
    app.router.add_post("/api/v1/grid/lease", say)
    app.router.add_post("/api/v1/grid/register", say)
    if knows_leaving:
        app.router.add_post("/api/v1/grid/leave", say)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        async with Server(f"http://127.0.0.1:{port}", "token", Bandwidth(None)) as server:
            yield server
    finally:
        await runner.cleanup()


def test_a_server_hears_what_the_owner_lets_it_take(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    settings = Settings(
        url="", token="t", name="small", home=tmp_path, response_bytes=1000, response_seconds=2.5
    )

    async def scenario() -> None:
        answer = {"node_id": "n", "user_agent": "a", "allow_private_networks": False}
        async with server_that_says(answer, heard) as server:
            await Liaison(server, settings=settings, slots=Slots(1), status=Status()).register()

    asyncio.run(scenario())
    assert (heard[0]["response_bytes"], heard[0]["response_seconds"]) == (1000, 2.5)


def test_who_leaves_says_so_and_minds_no_server_that_does_not_know_the_word(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    settings = Settings(url="", token="t", name="small", home=tmp_path)

    async def scenario(*, knows_the_word: bool) -> None:
        answer = {"node_id": "n", "user_agent": "a", "allow_private_networks": False}
        async with server_that_says(answer, heard, knows_leaving=knows_the_word) as server:
            liaison = Liaison(server, settings=settings, slots=Slots(1), status=Status())
            await liaison.register()
            await liaison.say_goodbye()

    asyncio.run(scenario(knows_the_word=False))
    asyncio.run(scenario(knows_the_word=True))
    assert heard[-1] == {"node_id": "n"}


def test_a_block_has_the_id_the_node_chose(tmp_path: Path) -> None:
    """Its files are called after it: no server names files here, and none deletes any."""
    victim = tmp_path / "victim.warc.gz"
    victim.write_bytes(b"precious")
    home = tmp_path / "blocks"
    home.mkdir()
    block_id = str(uuid4())

    async def scenario(said: str) -> None:
        async with server_that_says(work(said)) as server:
            block = await server.lease("n", block_id=block_id, state=STATE)
        with HeldBlock(home, block, server="s", node_id="n", deadline=Deadline(60)) as held:
            assert held.id == block_id
            assert {path.name for path in home.iterdir()} == {f"{block_id}.warc.gz", f"{block_id}.journal"}
        held.discard()

    for said in (str(tmp_path / "victim"), "../victim", str(uuid4()), ""):
        asyncio.run(scenario(said))
        assert victim.read_bytes() == b"precious"
        assert list(home.iterdir()) == []


@pytest.mark.parametrize("request_id", ["", "1 2", "1\ndone 2 999", "x" * 101, "é"])
def test_an_id_that_would_break_the_journal_is_refused(request_id: str) -> None:
    async def scenario() -> None:
        async with server_that_says(work("b", request_id)) as server:
            await server.lease("n", block_id="b", state=STATE)

    with pytest.raises(ServerRefused, match="id of a request"):
        asyncio.run(scenario())
