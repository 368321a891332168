"""Many slow hosts: nodes of 16 slots against one plain crawler of 16, all politeness as it comes out of the box."""

from __future__ import annotations

from bench.direct import direct_seconds
from bench.measured import Measured, say
from bench.origin import running_origin, urls
from bench.ronda_at_work import ronda_at_work

MEDIAN_SECONDS = 0.2
SLOTS = 16
TARGETS = {1: 0.9, 2: 1.8, 4: 3.4}


def measure(*, is_quick: bool) -> list[Measured]:
    hosts, count = (1_000, 3_000) if is_quick else (2_000, 10_000)
    results = []
    with running_origin(MEDIAN_SECONDS) as port:
        wanted = urls(port, hosts=hosts, count=count)
        direct = count / direct_seconds(wanted, slots=SLOTS)
        say(f"direct crawler: {direct:.1f} URLs/s")
        for nodes, target in TARGETS.items():
            with ronda_at_work() as ronda:
                ronda.set(waiting_nodes_seconds=1)
                with ronda.nodes(nodes, slots=SLOTS):
                    # As a crawler comes back to hosts it knows: their robots.txt is in the cache.
                    cold = hosts / ronda.fetch_seconds(urls(port, hosts=hosts, count=hosts))
                    rate = count / ronda.fetch_seconds(wanted)
            say(f"{nodes} nodes: {rate:.1f} URLs/s, hosts never met before {cold:.1f} URLs/s")
            results.append(Measured(f"{nodes}_nodes_against_direct", rate / direct, target))
    return results
