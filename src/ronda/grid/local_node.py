"""The node role: the same node a contributor would run, with RONDA_TOKEN or the token of this home."""

from __future__ import annotations

import asyncio
import logging
import os
import socket

from ronda.configuration import Configuration
from ronda.supervision.child import Child
from ronda.supervision.home import NODE_TOKEN_FILE
from ronda_node.agent import Agent
from ronda_node.errors import NodeError
from ronda_node.options import settings_of

logger = logging.getLogger(__name__)


def run(child: Child, configuration: Configuration) -> None:
    """Caps come from the environment (RONDA_NODE_SLOTS and so on), as for any node."""
    given = {
        "url": configuration.url or configuration.local_url,
        "token": configuration.token or (configuration.home / NODE_TOKEN_FILE).read_text().strip(),
        "name": f"{socket.gethostname()} {child.name}",
        "home": str(configuration.home / "nodes" / child.name),
        "log_path": str(configuration.home / "logs" / f"{child.name}-fetches.jsonl"),
        "allow_private_networks": "yes" if configuration.allow_private_networks else "no",
    }

    async def live() -> None:
        await Agent(settings_of(given, os.environ), on_turn=child.beat).run_until_told()

    try:
        asyncio.run(live())
    except (NodeError, ValueError) as error:
        # Most often refused for a token that works no longer: the next start reads the token again.
        logger.error("%s", error)
        raise SystemExit(1) from None
