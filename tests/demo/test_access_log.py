from __future__ import annotations

import json
import threading
from datetime import UTC, datetime
from pathlib import Path

from ronda.demo import AccessEntry, AccessLog, DemoClock, DemoServer, DemoWorld, serve_in_thread
from tests.demo.conftest import fetch

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def begin(log: AccessLog, site: str = "boreal") -> AccessEntry:
    return log.begin(site=site, method="GET", path="/", user_agent="t", client="127.0.0.1", demo_at=NOW)


def test_every_request_is_there_with_its_start_and_end(clock: DemoClock, server: DemoServer) -> None:
    fetch(server.base_url("boreal") + "data/?x=1", headers={"User-Agent": "ronda-test/1 (me@example.org)"})
    fetch(server.base_url("carrick") + "robots.txt", "HEAD")
    fetch(server.wiki_api_url)
    fetch(server.index_url)
    assert server.access_log.wait_until_idle()
    page, robots, wiki = server.access_log.entries()
    assert (page.site, page.method, page.path, page.status) == ("boreal", "GET", "/data/?x=1", 200)
    assert page.user_agent == "ronda-test/1 (me@example.org)"
    assert page.demo_at == clock.now()
    assert page.size_bytes > 1000
    assert (robots.site, robots.status, robots.size_bytes) == ("carrick", 503, 0)
    assert wiki.site == "wiki"
    for entry in (page, robots, wiki):
        assert entry.ended_monotonic is not None
        assert entry.started_monotonic <= entry.ended_monotonic
    assert page.ended_monotonic is not None
    assert page.ended_monotonic <= robots.started_monotonic


def test_the_file_has_a_line_for_each_request(tmp_path: Path, world: DemoWorld, clock: DemoClock) -> None:
    path = tmp_path / "access.jsonl"
    with serve_in_thread(world, clock, access_log_path=path) as server:
        for _ in range(3):
            fetch(server.base_url("boreal"))
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(row["site"], row["status"]) for row in rows] == [("boreal", 200)] * 3
    assert datetime.fromisoformat(rows[0]["started_at"]).tzinfo is not None


def test_it_forgets_the_oldest() -> None:
    log = AccessLog(kept=3)
    for name in "abcde":
        log.finish(begin(log, name), status=200, size_bytes=1)
    assert [entry.site for entry in log.entries()] == ["c", "d", "e"]
    log.clear()
    assert not log.entries()


def test_politeness_can_be_read_from_it() -> None:
    log = AccessLog()
    first, second = begin(log), begin(log)
    assert not log.wait_until_idle(timeout_seconds=0)
    for entry in (first, second):
        log.finish(entry, status=200, size_bytes=1)
    third = begin(log)
    log.finish(third, status=200, size_bytes=1)
    assert log.wait_until_idle()
    assert log.most_at_once("boreal") == 2
    gap = log.smallest_gap_seconds("boreal")
    assert gap is not None
    assert 0 <= gap < 5
    assert log.most_at_once("other") == 0
    assert log.smallest_gap_seconds("other") is None


def test_nothing_is_lost_under_many_clients(server: DemoServer) -> None:
    names = ["boreal", "maproom", "census", "regatta"]

    def visit(name: str) -> None:
        for _ in range(15):
            fetch(server.base_url(name))

    threads = [threading.Thread(target=visit, args=(name,)) for name in names for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.access_log.wait_until_idle()
    assert {name: len(server.access_log.entries(name)) for name in names} == dict.fromkeys(names, 30)
    assert all(entry.status == 200 for entry in server.access_log.entries())
