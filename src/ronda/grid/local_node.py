"""The node role: the same node a contributor would run, beside the server, with the token of this home."""

from __future__ import annotations

import asyncio
import socket

from ronda_node.agent import Agent

from ronda.configuration import Configuration
from ronda.supervision.child import Child


def run(child: Child, configuration: Configuration) -> None:
    token = (configuration.home / "node-token").read_text().strip()
    name = f"{socket.gethostname()} {child.name}"
    agent = Agent(url=configuration.url or configuration.local_url, token=token, name=name, on_turn=child.beat)
    asyncio.run(agent.run_until_told())
