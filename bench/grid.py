"""The grid, beside its peers in the same run.

    python -m bench.grid [frontier] [latency] [throughput] [memory] [strategies] [--quick]

frontier    queueing, claiming and completing a million URLs
latency     an origin of 2,000 slow hosts: one, two and four nodes against one plain aiohttp crawler
throughput  an origin that answers at once: the whole path, beside Scrapy without its politeness
memory      the web process while a million URLs pass through it
strategies  the four of them on one site, on many, and on those of twenty countries
"""

from __future__ import annotations

import sys
from functools import partial

from bench import frontier, latency, memory, parts, strategies, throughput

PARTS = {
    "frontier": frontier.measure,
    "latency": latency.measure,
    "throughput": throughput.measure,
    "memory": memory.measure,
    "strategies": strategies.measure,
}


def main() -> None:
    is_quick = parts.QUICK in sys.argv
    parts.run("bench.grid", {name: partial(measure, is_quick=is_quick) for name, measure in PARTS.items()})


if __name__ == "__main__":
    main()
