"""Ingest: upload body → verified → on disk, fsynced, indexed; beside `warcio index` over the file it became.

One process, one upload at a time, so that what is measured is a core. PostgreSQL's own share is in the seconds, and not
in the CPU time.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bench.measured import Measured, say
from bench.uploads import Answer, PaperNode, vary

HOSTS = 2000
PAGE_BYTES = 25_000


def measure(node: PaperNode, *, is_quick: bool) -> list[Measured]:
    count = 3_000 if is_quick else 20_000
    from ronda.archive import services
    from ronda.grid import fetches

    set_policies(node)
    pages = [Answer(vary(str(n), PAGE_BYTES)) for n in range(200)]
    urls = [f"http://h{n % HOSTS}.example/{n}" for n in range(count)]
    fetches.create_fetch(actor=node.person, urls=urls)
    brought = node.answer_all(lambda url: pages[hash(url) % len(pages)])
    services.writer().close()
    files = sorted(services.archive_folder().glob("*.warc.gz"))
    packed, plain = sizes_of(files)
    theirs = _warcio_seconds(files)
    records = brought.urls * 2
    say(
        f"{brought.urls:,} URLs in {brought.seconds:.1f} s ({brought.cpu_seconds:.1f} s of a core): "
        f"{records / brought.seconds:,.0f} records/s, {plain / brought.seconds / 1e6:.0f} MB/s of WARC "
        f"({packed / brought.seconds / 1e6:.0f} MB/s packed); warcio index: {records / theirs:,.0f} records/s"
    )
    return [
        Measured("ingest_records_per_second", records / brought.seconds, 4_000),
        Measured("ingest_mb_per_second", plain / brought.seconds / 1e6, 60),
        Measured("ingest_records_per_second_of_a_core", records / brought.cpu_seconds, 4_000),
        Measured("ingest_against_warcio_index", theirs / brought.seconds, 0.5),
    ]


def set_policies(node: PaperNode) -> None:
    from ronda.policies.services import change_setting

    for name, value in (("block_urls", 1000), ("delay_floor_seconds", 0), ("delay_latency_factor", 0)):
        change_setting(actor=node.person, name=name, value=str(value))


def sizes_of(files: list[Path]) -> tuple[int, int]:
    """Packed, and as their records say."""
    from ronda.archive.file_reader import records_in

    packed = plain = 0
    for path in files:
        packed += path.stat().st_size
        with path.open("rb") as file:
            plain += sum(
                int(record.fields["content-length"]) for record in records_in(file, 0, path.stat().st_size)
            )
    return packed, plain


def _warcio_seconds(files: list[Path]) -> float:
    program = Path(sys.executable).with_name("warcio")
    began = time.perf_counter()
    subprocess.run([program, "index", *files], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began
