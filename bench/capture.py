"""Captures of demo sites, a large one and small ones, beside `wget --mirror --page-requisites --warc-file` of them.

Politeness is off.

Ours is counted from when the source is due until its version is made: every page fetched, checked, archived, indexed,
read for links. Both times are divided by what was captured, as the two find not quite the same pages. The two go one
after the other, several times (each time for another collection, so that nothing is known yet), and the median counts,
as a busy machine is another one every few seconds. The site has made all its pages once before that; and neither begins
before the texts of what came before have been read.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.request import urlopen

import psycopg
from fastwarc.warc import ArchiveIterator, WarcRecordType

from bench.measured import Measured, say
from bench.ronda_at_work import RondaAtWork, ronda_at_work
from ronda.database.embedded import EmbeddedPostgres

SMALL = ("ashcombe", "nightsky", "census")
LARGE = "quay-courier"
STORIES = 2_000
# The clock stands where that many have been published.
MOMENT = "2026-06-01"
NODES = 2
TIMES = 3
FOLLOW = """
INSERT INTO rounds_source (id, url, title, collection_id, notes, tags, state, created_at, scope, depth, max_pages,
       max_bytes, max_seconds, is_for_any_node, next_visit_at, next_visit_because, auto_seconds, failed_visits)
SELECT %s, %s, '', id, '', '{}', 'active', now(), 'host', 9, 10000, 1073741824, 21600, false, now(), '', 86400, 0
  FROM archive_collection ORDER BY id OFFSET %s LIMIT 1
"""
SETTLED = "SELECT NOT EXISTS (SELECT 1 FROM archive_capture WHERE is_text_due)"
DONE = """
SELECT extract(epoch FROM version.ended_at - visit.opened_at), version.documents
  FROM rounds_version version JOIN rounds_visit visit ON visit.id = version.visit_id WHERE version.source_id = %s
"""


def measure(*, is_quick: bool) -> list[Measured]:
    stories = STORIES // 4 if is_quick else STORIES
    times = range(1 if is_quick else TIMES)
    with running_demo(stories) as port, ronda_at_work() as ronda, ronda.nodes(NODES, slots=16):
        ronda.set(waiting_nodes_seconds=1, delay_floor_seconds=0, delay_latency_factor=0)
        urls = {name: _address(port, name) for name in (LARGE, *SMALL)}
        for url in urls.values():
            _wget_rate(url)
            _be_impolite(ronda, url)
        large = median(_ratio(ronda, urls[LARGE], LARGE, number) for number in times)
        small = median(_ratio(ronda, urls[name], name, number) for number in times for name in SMALL)
    return [
        Measured("capture_of_a_large_site_against_wget", large, 1.0),
        Measured("capture_of_small_sites_against_wget", small, 1.0),
    ]


def _ratio(ronda: RondaAtWork, url: str, name: str, number: int) -> float:
    with psycopg.connect(EmbeddedPostgres(ronda.running.home).url, autocommit=True) as database:
        _settle(database)
        peer = _wget_rate(url)
        ours = _our_rate(database, url, number)
    ratio = ours / peer
    say(f"{name}: {ours:.0f} documents/s, wget {peer:.0f}: {ratio:.2f} (load {os.getloadavg()[0]:.0f})")
    return ratio


def _settle(database: psycopg.Connection) -> None:
    while not (row := database.execute(SETTLED).fetchone()) or not row[0]:
        time.sleep(0.1)


@contextmanager
def running_demo(stories: int) -> Iterator[int]:
    """The demo web as a process of its own, its clock standing still."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    words = [sys.executable, "-m", "ronda.demo", "--port", str(port), "--speed", "0", "--start", MOMENT]
    words += ["--stories-on-front", str(stories)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        assert process.stdout
        process.stdout.readline()
        yield port
    finally:
        process.terminate()
        process.wait()


def _address(port: int, name: str) -> str:
    with urlopen(f"http://127.77.0.1:{port}/api/sites", timeout=30) as response:
        sites = json.loads(response.read())["sites"]
    return str(next(site["url"] for site in sites if site["name"] == name))


def _wget_rate(url: str) -> float:
    """Its own politeness is off by itself; robots.txt is not asked for either."""
    folder = Path(tempfile.mkdtemp(prefix="ronda-bench-"))
    words = ["wget", "-q", "-e", "robots=off", "--mirror", "--page-requisites", "--warc-file=out", url]
    try:
        began = time.perf_counter()
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
        seconds = time.perf_counter() - began
        with (folder / "out.warc.gz").open("rb") as file:
            count = sum(1 for _ in ArchiveIterator(file, record_types=WarcRecordType.response))
    finally:
        shutil.rmtree(folder)
    return count / seconds


def _our_rate(database: psycopg.Connection, url: str, number: int) -> float:
    source = uuid.uuid4()
    database.execute(FOLLOW, [source, url, number])
    while (row := database.execute(DONE, [source]).fetchone()) is None:
        time.sleep(0.02)
    seconds, documents = row
    return int(documents) / float(seconds)


def _be_impolite(ronda: RondaAtWork, url: str) -> None:
    """The host is met, so that it can be told apart: several at a time, no delay, whatever its robots.txt says."""
    ronda.fetch_seconds([url])
    name = url.split("/")[2]
    choices = {"delay_seconds": 0, "max_nodes": 8, "is_delay_per_node": True, "note": "benchmark"}
    status, answer = ronda.running.call("PATCH", f"/hosts/{name}", choices)
    assert status == 200, answer
