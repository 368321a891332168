"""The peer: one plain aiohttp crawler, so many at a time, that keeps nothing. `python -m bench.direct SLOTS < urls`."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import aiohttp


async def crawl(urls: list[str], slots: int) -> float:
    waiting = iter(urls)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=slots)) as session:

        async def work() -> None:
            for url in waiting:
                async with session.get(url) as response:
                    await response.read()
                    assert response.status == 200

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(slots)))
        return time.perf_counter() - began


def direct_seconds(urls: list[str], *, slots: int) -> float:
    """In a process of its own, as the node has."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.direct", str(slots)],
        input="\n".join(urls),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


if __name__ == "__main__":
    print(asyncio.run(crawl(sys.stdin.read().split(), int(sys.argv[1]))))  # noqa: T201
