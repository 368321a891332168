"""`ronda-node`: lend this machine."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from pathlib import Path

from ronda_node import __version__
from ronda_node.agent import Agent
from ronda_node.errors import NodeError
from ronda_node.home import NodeHome, usual_home
from ronda_node.kill_switch import KillSwitch
from ronda_node.options import HOME, OPTIONS, Option, settings_of

logger = logging.getLogger(__name__)


def main() -> None:
    arguments = parser().parse_args()
    arguments.run(arguments)


def _join(arguments: argparse.Namespace) -> None:
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        settings = settings_of(vars(arguments), os.environ)
        agent = Agent(settings, on_turn=lambda doing: logger.debug("%s", doing))
        asyncio.run(agent.run_until_told())
    except (NodeError, ValueError) as error:
        sys.stderr.write(f"ronda-node: {error}\n")
        raise SystemExit(error.exit_code if isinstance(error, NodeError) else 2) from None


def _stop(arguments: argparse.Namespace) -> None:
    switch = _switch(arguments)
    switch.pull()
    sys.stdout.write(f"Nothing is fetched while {switch.path} exists. `ronda-node start` goes on.\n")


def _start(arguments: argparse.Namespace) -> None:
    switch = _switch(arguments)
    switch.release()
    sys.stdout.write(f"{switch.path} is gone: a node that runs goes on.\n")


def _switch(arguments: argparse.Namespace) -> KillSwitch:
    folder = arguments.home or os.environ.get(HOME.variable)
    return KillSwitch(NodeHome(Path(folder) if folder else usual_home()).stop)


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="ronda-node", description="Lend this machine to a Ronda.")
    whole.add_argument("--version", action="version", version=f"ronda-node {__version__}")
    commands = whole.add_subparsers(required=True, metavar="COMMAND")
    join = commands.add_parser("join", help="fetch for the Ronda at URL until Ctrl-C")
    join.add_argument("url", metavar="URL", nargs="?", help="address of the Ronda (or RONDA_NODE_URL)")
    for option in OPTIONS:
        _add(join, option)
    join.set_defaults(run=_join)
    stop = commands.add_parser(
        "stop", help="the kill switch: a node that runs here ends what it does, and rests"
    )
    start = commands.add_parser("start", help="let it go on")
    for command, run in ((stop, _stop), (start, _start)):
        _add(command, HOME)
        command.set_defaults(run=run)
    return whole


def _add(command: argparse.ArgumentParser, option: Option) -> None:
    default = f" Default: {option.default}." if option.default else ""
    help_text = f"{option.meaning}{default} ({option.variable})"
    if option.is_switch:
        command.add_argument(
            f"--{option.flag}", dest=option.field, action="store_const", const="yes", help=help_text
        )
    else:
        command.add_argument(f"--{option.flag}", dest=option.field, metavar=option.metavar, help=help_text)


if __name__ == "__main__":
    main()
