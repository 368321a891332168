"""The node role: the same node a contributor would run, beside the server, with the token of this home."""

from __future__ import annotations

import asyncio
import socket

from ronda.configuration import Configuration
from ronda.supervision.child import Child
from ronda.supervision.home import NODE_TOKEN_FILE
from ronda_node.agent import Agent


def run(child: Child, configuration: Configuration) -> None:
    token = (configuration.home / NODE_TOKEN_FILE).read_text().strip()
    name = f"{socket.gethostname()} {child.name}"
    agent = Agent(
        url=configuration.url or configuration.local_url, token=token, name=name, on_turn=child.beat
    )
    asyncio.run(agent.run_until_told())
