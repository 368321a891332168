"""`python -m ronda.demo`: serve the demo web until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

from ronda.demo.clock import DemoClock
from ronda.demo.errors import DemoError
from ronda.demo.server import DemoServer
from ronda.demo.world import DEFAULT_EPOCH, STORIES_ON_FRONT, DemoWorld


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    world = DemoWorld(options.seed, options.epoch or DEFAULT_EPOCH, stories_on_front=options.stories_on_front)
    try:
        clock = DemoClock(options.start or options.epoch, speed=options.speed)
        server = DemoServer(world, clock, port=options.port, access_log_path=options.access_log)
        if options.addresses:
            sys.stdout.write("\n".join(server.addresses) + "\n")
            return 0
        asyncio.run(_serve(server))
    except (DemoError, OSError) as error:
        sys.stderr.write(f"ronda.demo: {error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ronda.demo", description="A small changing web on loopback."
    )
    parser.add_argument(
        "--port", type=int, default=8100, help="one port for all addresses; 0 finds a free one"
    )
    parser.add_argument(
        "--speed", type=float, default=1.0, help="demo seconds per real second; 0 freezes the clock"
    )
    parser.add_argument("--seed", type=int, default=7, help="another seed is another world")
    parser.add_argument(
        "--epoch", type=_moment, metavar="ISO", help=f"when the world begins ({DEFAULT_EPOCH:%F})"
    )
    parser.add_argument(
        "--start", type=_moment, metavar="ISO", help="what the clock shows first (--epoch, or now)"
    )
    parser.add_argument(
        "--stories-on-front",
        type=int,
        default=STORIES_ON_FRONT,
        metavar="N",
        help=f"how many stories a front page leads to ({STORIES_ON_FRONT}): with thousands, news sites are large",
    )
    parser.add_argument(
        "--access-log", type=Path, metavar="FILE", help="append every request as a line of JSON"
    )
    parser.add_argument("--addresses", action="store_true", help="print the addresses it needs, and end")
    return parser


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no moment such as 2025-03-01T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


async def _serve(server: DemoServer) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    await server.start()
    sys.stdout.write(f"The demo web: {server.index_url}\n")
    sys.stdout.flush()
    try:
        await stopped.wait()
    finally:
        await server.stop()


if __name__ == "__main__":
    sys.exit(main())
