"""The capture of a demo site with politeness off, beside `wget --mirror --page-requisites --warc-file` of it.

Ours is counted from when the source is due until its version is made: every page fetched, checked, archived, indexed,
read for links. Both times are divided by what was captured, as the two find not quite the same pages.
"""

from __future__ import annotations

import json
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

SITES = ("ashcombe", "nightsky", "census")
NODES = 1
FOLLOW = """
INSERT INTO rounds_source (id, url, title, collection_id, notes, tags, state, created_at, scope, depth, max_pages,
       max_bytes, max_seconds, is_for_any_node, next_visit_at, next_visit_because, auto_seconds, failed_visits)
SELECT %s, %s, '', min(id), '', '{}', 'active', now(), 'host', 9, 10000, 1073741824, 21600, false, now(), '', 86400, 0
  FROM archive_collection
"""
DONE = """
SELECT extract(epoch FROM version.ended_at - visit.opened_at), version.documents
  FROM rounds_version version JOIN rounds_visit visit ON visit.id = version.visit_id WHERE version.source_id = %s
"""


def measure(*, is_quick: bool) -> list[Measured]:
    sites = SITES[:1] if is_quick else SITES
    ratios = []
    with running_demo() as port, ronda_at_work() as ronda, ronda.nodes(NODES, slots=16):
        ronda.set(waiting_nodes_seconds=1, delay_floor_seconds=0, delay_latency_factor=0)
        for name in sites:
            url = _address(port, name)
            peer = _wget_rate(url)
            ours = _our_rate(ronda, url)
            say(f"{name}: {ours:.0f} documents/s, wget {peer:.0f}")
            ratios.append(ours / peer)
    return [Measured("capture_against_wget", median(ratios), 1.0)]


@contextmanager
def running_demo() -> Iterator[int]:
    """The demo web as a process of its own, its clock standing still."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    words = [sys.executable, "-m", "ronda.demo", "--port", str(port), "--speed", "0"]
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


def _our_rate(ronda: RondaAtWork, url: str) -> float:
    _be_impolite(ronda, url)
    source = uuid.uuid4()
    with psycopg.connect(EmbeddedPostgres(ronda.running.home).url, autocommit=True) as database:
        database.execute(FOLLOW, [source, url])
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
