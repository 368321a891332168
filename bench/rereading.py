"""Reading the archive again: `ronda archive verify` and `ronda archive reindex` over what uploads left on disk."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.ingest import PAGE_BYTES, set_policies, sizes_of
from bench.measured import Measured, say
from bench.uploads import Answer, PaperNode, vary

HOSTS = 200


def measure(node: PaperNode, *, is_quick: bool) -> list[Measured]:
    count = 3_000 if is_quick else 20_000
    from ronda.archive import services
    from ronda.archive.models import WarcFile
    from ronda.archive.reindexing import reindex_file
    from ronda.archive.verifying import verify_file
    from ronda.grid import fetches

    set_policies(node)
    pages = [Answer(vary(str(n), PAGE_BYTES)) for n in range(200)]
    fetches.create_fetch(actor=node.person, urls=[f"http://h{n % HOSTS}.example/{n}" for n in range(count)])
    node.answer_all(lambda url: pages[hash(url) % len(pages)])
    services.writer().close()
    folder, row = services.archive_folder(), WarcFile.objects.get()
    _packed, plain = sizes_of([folder / row.name])

    def verify() -> None:
        problems = verify_file(folder, row).problems
        if problems:
            raise SystemExit(f"What was measured is not what it should be: {problems[0]}")

    return [
        _timed("verify", verify, plain, 60),
        _timed("reindex", lambda: reindex_file(folder=folder, row=row), plain, 60),
    ]


def _timed(name: str, work: Callable[[], object], plain_bytes: int, target: float) -> Measured:
    began, cpu = time.perf_counter(), time.process_time()
    work()
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    rate = plain_bytes / cpu_seconds / 1e6
    say(f"{name}: {plain_bytes / 1e6:,.0f} MB of WARC in {seconds:.1f} s, {rate:.0f} MB a second of a core")
    return Measured(f"{name}_mb_per_second_of_a_core", rate, target)
