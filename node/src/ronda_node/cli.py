"""`ronda-node`: lend this machine."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import socket
import sys
from pathlib import Path

from ronda_node import __version__
from ronda_node.agent import Agent, Settings
from ronda_node.errors import NodeError

logger = logging.getLogger(__name__)


def main() -> None:
    arguments = _parser().parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    settings = Settings(
        url=arguments.url,
        token=arguments.token,
        name=arguments.name,
        slots=arguments.slots,
        allow_private_networks=arguments.allow_private_networks,
        log_path=arguments.log,
    )
    agent = Agent(settings, on_turn=lambda doing: logger.debug("%s", doing))
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
    join.add_argument(
        "--slots", type=_slots, help="hosts asked at a time, 1 to 256 (default: found by trying)"
    )
    join.add_argument(
        "--log",
        type=Path,
        default=Path("ronda-node-fetches.jsonl"),
        metavar="FILE",
        help="where every URL fetched is written down (default: %(default)s)",
    )
    join.add_argument(
        "--allow-private-networks",
        action="store_true",
        help="also fetch from private addresses, if the server wants it too: for trying things out only",
    )
    return parser


def _slots(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 256):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 256")
    return int(text)


def _web_address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} does not start with http:// or https://")
    return text


if __name__ == "__main__":
    main()
