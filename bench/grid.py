"""The grid, beside its peers in the same run.

    python -m bench.grid [frontier] [latency] [throughput] [memory] [strategies] [--quick]

frontier    queueing, claiming and completing a million URLs
latency     an origin of 2,000 slow hosts: one, two and four nodes against one plain aiohttp crawler
throughput  an origin that answers at once: the whole path, beside Scrapy without its politeness
memory      the web process while a million URLs pass through it
strategies  the four of them on one site, on many, and on those of twenty countries
"""

from __future__ import annotations

import signal
import sys

from bench import frontier, latency, memory, strategies, throughput
from bench.measured import tell

PARTS = {
    "frontier": frontier.measure,
    "latency": latency.measure,
    "throughput": throughput.measure,
    "memory": memory.measure,
    "strategies": strategies.measure,
}


def main() -> None:
    # Told to end, it must end what it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    words = sys.argv[1:]
    is_quick = "--quick" in words
    chosen = [word for word in words if word != "--quick"]
    unknown = set(chosen) - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. Parts: {', '.join(PARTS)}.")
    tell([result for name in chosen or PARTS for result in PARTS[name](is_quick=is_quick)])


if __name__ == "__main__":
    main()
