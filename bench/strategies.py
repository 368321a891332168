"""The strategies side by side, on the grid document's three sets of sites, smaller: one site that wants a delay, many
sites anywhere, and sites of twenty countries.

Seven nodes, in the document's countries. The frontier is the real one; a fetch is a sleep, as long as the way between
the two countries is far, twenty times shortened like all times here.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from bench.database import fresh_database
from bench.measured import Measured, say

NODE_COUNTRIES = ("US", "NL", "SG", "GB", "DE", "CA", "IN")
SITE_COUNTRIES = (
    "US", "DE", "GB", "FR", "NL", "RU", "JP", "CN", "IN", "BR",
    "IT", "ES", "PL", "CA", "AU", "CZ", "IR", "TR", "UA", "KR",
)  # fmt: skip
SLOTS = 16
# From the document's table of mean answer times: near, on the same continent, elsewhere.
NEAR_SECONDS, CONTINENT_SECONDS, FAR_SECONDS = 0.025, 0.05, 0.125
HEAD_START_SECONDS = 0.25


@dataclass(frozen=True)
class Sites:
    """`countries`: where they are, in turn; none: nobody knows."""

    name: str
    hosts: int
    urls: int
    delay_seconds: float = 0.0
    countries: Sequence[str] = ("",)


def measure(*, is_quick: bool) -> list[Measured]:
    scale = 1 if is_quick else 4
    sets = [
        Sites("one_site", 1, 15 * scale, delay_seconds=0.05),
        Sites("many_sites", 500 * scale, 1000 * scale),
        Sites("twenty_countries", 500 * scale, 1000 * scale, countries=SITE_COUNTRIES),
    ]
    with fresh_database():
        return [result for sites in sets for result in _compare(sites)]


def _compare(sites: Sites) -> list[Measured]:
    from ronda.frontier.strategies import Strategy

    rates = {strategy: _rate(sites, strategy) for strategy in Strategy}
    best = max(rates.values())
    for strategy, rate in rates.items():
        say(f"{sites.name}: {strategy.value} {rate:.0f} URLs/s, {rate / best:.2f} of the best")
    # The default must never be a bad choice.
    return [Measured(f"{sites.name}_least_busy_over_best", rates[Strategy.LEAST_BUSY] / best, 0.8)]


def _rate(sites: Sites, strategy: str) -> float:
    _queue(sites, strategy)
    nodes = {country: uuid.uuid4() for country in NODE_COUNTRIES}
    threads = [
        threading.Thread(target=_work, args=[sites, country, node, nodes]) for country, node in nodes.items()
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sites.urls / (time.perf_counter() - began)


def _queue(sites: Sites, strategy: str) -> None:
    from ronda.frontier import services
    from ronda.frontier.blocks import Wanted
    from ronda.frontier.models import Host
    from ronda.frontier.places import continent_of
    from ronda.frontier.strategies import Strategy

    names = [f"{strategy}-{number}.{sites.name}.example" for number in range(sites.hosts)]
    batch = services.open_batch(
        purpose="bench", owner=f"{sites.name} {strategy}", strategy=Strategy(strategy)
    )
    wanted = [
        Wanted(f"http://{names[n % sites.hosts]}/{n}", names[n % sites.hosts], "http")
        for n in range(sites.urls)
    ]
    services.put_requests(batch=batch, wanted=wanted)
    hosts = list(Host.objects.filter(name__in=names))
    for number, host in enumerate(hosts):
        host.country = sites.countries[number % len(sites.countries)]
        host.continent = continent_of(host.country)
    Host.objects.bulk_update(hosts, ["country", "continent"])
    from bench.frontier import know_all_robots

    know_all_robots()


def _work(sites: Sites, country: str, node: uuid.UUID, nodes: dict[str, uuid.UUID]) -> None:
    from django.db import connection

    from ronda.frontier.models import Request

    while Request.objects.exists():
        if not _one_block(sites, country, node, nodes):
            time.sleep(0.01)
    connection.close()


def _one_block(sites: Sites, country: str, node: uuid.UUID, nodes: dict[str, uuid.UUID]) -> int:
    from ronda.frontier import leases
    from ronda.frontier.blocks import BlockSize, Claimant, Completion, HostReport
    from ronda.frontier.models import Host
    from ronda.frontier.places import continent_of
    from ronda.frontier.politeness import Pace
    from ronda.frontier.strategies import Preference

    block = uuid.uuid4()
    hosts = leases.claim(
        claimant=Claimant(node, 1, country, continent_of(country)),
        block=block,
        size=BlockSize(SLOTS, 2 * SLOTS, lease_seconds=60, guard_seconds=10, busy_seconds=0.5),
        pace=Pace(sites.delay_seconds, 120, 0),
        hosts_per_address=2,
        preference=Preference(
            nodes=tuple(nodes.values()),
            countries=tuple(nodes),
            continents=tuple({continent_of(where) for where in nodes}),
            head_start_seconds=HEAD_START_SECONDS,
        ),
    )
    if not hosts:
        return 0
    places = dict(Host.objects.filter(pk__in=[host.host_id for host in hosts]).values_list("pk", "country"))
    ways = {host.host_id: _way_seconds(country, places[host.host_id]) for host in hosts}
    # Hosts side by side, the URLs of one behind each other.
    time.sleep(
        max(len(h.requests) * (ways[h.host_id] + sites.delay_seconds) - sites.delay_seconds for h in hosts)
    )
    numbers = [request.id for host in hosts for request in host.requests if request.id is not None]
    reports = [HostReport(host.host_id, sites.delay_seconds, ways[host.host_id]) for host in hosts]
    leases.complete(completion=Completion(node, block, numbers, [], reports, country))
    return len(numbers)


def _way_seconds(here: str, there: str) -> float:
    from ronda.frontier.places import continent_of

    if here == there:
        return NEAR_SECONDS
    return CONTINENT_SECONDS if continent_of(here) == continent_of(there) else FAR_SECONDS
