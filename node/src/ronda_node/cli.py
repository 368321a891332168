"""`ronda-node`: lend this machine."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import socket
import sys

from ronda_node import __version__
from ronda_node.agent import Agent
from ronda_node.errors import NodeError

logger = logging.getLogger(__name__)


def main() -> None:
    arguments = _parser().parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    agent = Agent(
        url=arguments.url,
        token=arguments.token,
        name=arguments.name,
        on_turn=lambda doing: logger.debug("%s", doing),
    )
    try:
        asyncio.run(agent.run_until_told())
    except NodeError as error:
        sys.stderr.write(f"ronda-node: {error}\n")
        raise SystemExit(2) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ronda-node", description="Lend this machine to a Ronda.")
    parser.add_argument("--version", action="version", version=f"ronda-node {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    join = commands.add_parser("join", help="fetch for the Ronda at URL until Ctrl-C")
    join.add_argument(
        "url", metavar="URL", type=_web_address, help="address of the Ronda, like https://ronda.example"
    )
    join.add_argument(
        "--token",
        default=os.environ.get("RONDA_NODE_TOKEN"),
        required="RONDA_NODE_TOKEN" not in os.environ,
        help="your API token (or RONDA_NODE_TOKEN)",
    )
    join.add_argument(
        "--name", default=socket.gethostname(), help="name of this machine (default: its host name)"
    )
    return parser


def _web_address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} does not start with http:// or https://")
    return text


if __name__ == "__main__":
    main()
