"""The web process while many URLs pass through it, from a client's list to the archive; the answers are made up."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from bench.measured import Measured, say
from bench.ronda_at_work import RondaAtWork, ronda_at_work

HOSTS = 20_000
URLS_A_FETCH = 100_000
MEGABYTE = 1024**2


def measure(*, is_quick: bool) -> list[Measured]:
    count = 100_000 if is_quick else 1_000_000
    with ronda_at_work() as ronda:
        ronda.set(waiting_nodes_seconds=1, delay_floor_seconds=0, delay_latency_factor=0, block_urls=1000)
        with Watch(ronda) as watch, paper_node(ronda):
            for number in range(count // URLS_A_FETCH):
                urls = [f"http://h{n % HOSTS}.example/{number}/{n}" for n in range(URLS_A_FETCH)]
                ronda.fetch_seconds(urls)
                say(f"{(number + 1) * URLS_A_FETCH:,} URLs: {watch.peak_bytes / MEGABYTE:.0f} MB at most")
    return [Measured("web_process_peak_mb", watch.peak_bytes / MEGABYTE, 300, is_at_most=True)]


class Watch:
    """The most memory the web process had, looked at every quarter of a second."""

    def __init__(self, ronda: RondaAtWork) -> None:
        self._process = ronda.web_process()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self.peak_bytes = 0

    def _look(self) -> None:
        while not self._is_over.wait(0.25):
            self.peak_bytes = max(self.peak_bytes, self._process.memory_info().rss)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()


@contextmanager
def paper_node(ronda: RondaAtWork) -> Iterator[None]:
    words = [sys.executable, "-m", "bench.paper_node", ronda.running.url, ronda.running.token]
    process = subprocess.Popen(words)
    try:
        yield
    finally:
        process.terminate()
        process.wait()
