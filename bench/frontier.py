"""The frontier alone: how fast URLs are queued, handed out and taken back.

Queueing, and claim + complete by four connections, on many URLs over many hosts, politeness off so that only the
frontier is measured. Blocks of 200 for throughput, of 50 for the time one claim takes.
"""

from __future__ import annotations

import random
import threading
import time
import uuid

from bench.database import fresh_database
from bench.measured import Measured, say

CONNECTIONS = 4


def measure(*, is_quick: bool) -> list[Measured]:
    urls, hosts, seconds = (100_000, 10_000, 6.0) if is_quick else (1_000_000, 100_000, 30.0)
    with fresh_database():
        results = [_queue(urls, hosts)]
        know_all_robots()
        rate, _ = _cycle(block=200, seconds=seconds)
        _, claims = _cycle(block=50, seconds=seconds)
    results.append(Measured("claim_and_complete_urls_per_second", rate, 10_000))
    p99 = sorted(claims)[int(len(claims) * 0.99)] * 1000
    results.append(Measured("claim_of_50_p99_ms", p99, 50, is_at_most=True))
    return results


def _queue(urls: int, hosts: int) -> Measured:
    from ronda.frontier import services
    from ronda.frontier.blocks import Wanted

    chance = random.Random(7)
    names = [f"h{chance.randrange(hosts)}.example" for _ in range(urls)]
    wanted = [Wanted(f"http://{name}/page/{n}", name, "http") for n, name in enumerate(names)]
    batch = services.open_batch(purpose="bench", owner="bench")
    say(f"queueing {urls:,} URLs of {hosts:,} hosts")
    began = time.perf_counter()
    services.put_requests(batch=batch, wanted=wanted)
    return Measured("queueing_urls_per_second", urls / (time.perf_counter() - began), 15_000)


def know_all_robots() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE frontier_host SET robots_state = 'absent', robots_expires_at = now() + interval '1 day'"
        )
        cursor.execute("VACUUM ANALYZE frontier_host")
        cursor.execute("VACUUM ANALYZE frontier_request")


def _cycle(*, block: int, seconds: float) -> tuple[float, list[float]]:
    """URLs a second, and how long each claim took."""
    done = [0] * CONNECTIONS
    claims: list[float] = []
    stop = time.perf_counter() + seconds
    say(f"claim + complete in blocks of {block}, {CONNECTIONS} connections, {seconds:.0f} s")

    def work(number: int) -> None:
        from django.db import connection

        while time.perf_counter() < stop and (count := _one_block(block, claims)):
            done[number] += count
        connection.close()

    threads = [threading.Thread(target=work, args=[number]) for number in range(CONNECTIONS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / (time.perf_counter() - began), claims


def _one_block(size: int, claims: list[float]) -> int:
    from ronda.frontier import leases
    from ronda.frontier.blocks import BlockSize, Claimant, Completion, HostReport
    from ronda.frontier.politeness import Pace

    node, block = uuid.uuid4(), uuid.uuid4()
    wanted = BlockSize(min(size, 128), size, lease_seconds=60, guard_seconds=10, busy_seconds=10)
    began = time.perf_counter()
    hosts = leases.claim(
        claimant=Claimant(node, 1), block=block, size=wanted, pace=Pace(0, 120, 0), hosts_per_address=2
    )
    claims.append(time.perf_counter() - began)
    numbers = [request.id for host in hosts for request in host.requests if request.id is not None]
    reports = [HostReport(host.host_id, 0.0, 0.1) for host in hosts]
    leases.complete(completion=Completion(node, block, numbers, [], reports))
    return len(numbers)
