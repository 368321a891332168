"""An origin that answers at once: queue → fetch → WARC → index with one node, beside Scrapy that keeps nothing."""

from __future__ import annotations

from bench.measured import Measured, say
from bench.origin import running_origin, urls
from bench.ronda_at_work import ronda_at_work
from bench.scrapy_crawl import scrapy_seconds

HOSTS = 200


def measure(*, is_quick: bool) -> list[Measured]:
    count = 5_000 if is_quick else 50_000
    with running_origin(0.0) as port:
        wanted = urls(port, hosts=HOSTS, count=count)
        theirs = count / scrapy_seconds(wanted, slots=16)
        say(f"Scrapy: {theirs:.0f} URLs/s")
        with ronda_at_work() as ronda:
            ronda.set(waiting_nodes_seconds=1, delay_floor_seconds=0, delay_latency_factor=0)
            with ronda.nodes(1, slots=16):
                ours = count / ronda.fetch_seconds(wanted)
    say(f"Ronda: {ours:.0f} URLs/s")
    return [
        Measured("whole_path_urls_per_second", ours, theirs),
        Measured("whole_path_against_scrapy", ours / theirs, 1.0),
    ]
