"""The node role: the same node a contributor would run, beside the server, with the token of this home."""

from __future__ import annotations

import asyncio
import socket

from ronda.configuration import Configuration
from ronda.supervision.child import Child
from ronda.supervision.home import NODE_TOKEN_FILE
from ronda_node.agent import Agent, Settings


def run(child: Child, configuration: Configuration) -> None:
    settings = Settings(
        url=configuration.url or configuration.local_url,
        token=(configuration.home / NODE_TOKEN_FILE).read_text().strip(),
        name=f"{socket.gethostname()} {child.name}",
        allow_private_networks=configuration.allow_private_networks,
        log_path=configuration.home / "logs" / f"{child.name}-fetches.jsonl",
    )

    async def live() -> None:
        await Agent(settings, on_turn=child.beat).run_until_told()

    asyncio.run(live())
