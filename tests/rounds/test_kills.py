"""Real processes, killed in the middle of a capture, and a capture that goes on as if nothing had happened."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any
from urllib.request import urlopen

import psutil
import psycopg

from tests.running import RunningRonda, free_port, wait_for

SITE = "ashcombe"
INSERT = """
INSERT INTO rounds_source (id, url, title, collection_id, notes, tags, state, created_at, scope, depth, max_pages,
       max_bytes, max_seconds, is_for_any_node, next_visit_at, next_visit_because, auto_seconds, failed_visits)
SELECT %s, %s, '', min(id), '', '{}', 'active', now(), 'host', 3, 1000, 1073741824, 21600, false, now(), '', 86400, 0
  FROM archive_collection
"""
INDEX = """
SELECT f.name, c."offset", c.length, c.response_length, c.url, c.urlkey, c.fetched_at, c.status, c.mime, c.digest,
       c.collection_id, c.source, c.visit, c.refers_to_id, c.node, c.owner
  FROM archive_capture c JOIN archive_warcfile f ON f.id = c.file_id
 ORDER BY f.name, c."offset"
"""


def test_capture_survives_kills(ronda_in: Callable[..., RunningRonda], fresh_database: str) -> None:
    demo_port = free_port()
    ronda = ronda_in(
        "home", "--demo", "--nodes", "1", "--workers", "1",
        RONDA_DATABASE_URL=fresh_database, RONDA_DEMO_PORT=str(demo_port),
    )  # fmt: skip
    ronda.start()
    # Short, so that what a killed node was just being given is soon free again.
    short = {"delay_floor_seconds": "0.2", "task_timeout_seconds": "10", "longest_fetch_seconds": "5"}
    for name, value in short.items():
        assert ronda.call("PUT", f"/settings/{name}", {"value": value})[0] == 200
    with urlopen(f"http://127.77.0.1:{demo_port}/api/sites") as response:
        site = next(site for site in json.loads(response.read())["sites"] if site["name"] == SITE)
    with psycopg.connect(fresh_database, autocommit=True) as database:

        def ask(query: str) -> Any:
            return database.execute(query).fetchone()

        database.execute(INSERT, [uuid.uuid4(), site["url"]])
        for role in ["worker", "leader", "web", "worker", "node", "worker"]:
            before = ask("SELECT count(*) FROM rounds_visitpage WHERE state = 'done'")[0]
            wait_for(
                lambda before=before: (
                    ask("SELECT count(*) FROM rounds_visitpage WHERE state = 'done'")[0] > before
                    or ask("SELECT 1 FROM rounds_version")
                ),
                "pages to be captured",
            )
            _kill(ronda, role)
        # As a power cut would: nobody has time for anything.
        ronda.kill_tree()
        ronda.start()
        wait_for(lambda: ask("SELECT 1 FROM rounds_version"), "the version")
        paths = {
            url.split("/", 3)[3]
            for (url,) in database.execute("SELECT url FROM rounds_visitpage WHERE state = 'done'")
        }
        assert {page[1:] for page in site["pages"]} <= paths
        assert ask("SELECT count(*) FROM rounds_visit")[0] == 1
        outcome, failures = ask("SELECT outcome, failures FROM rounds_visit")
        assert (outcome, failures) == ("captured", 0)
        captured = "SELECT count(*) - count(DISTINCT url) FROM archive_capture WHERE visit = 1"
        assert ask(captured)[0] == 0, "no page was captured twice"
        assert _result_of(ronda, "verify_archive")["problems"] == []
        before = database.execute(INDEX).fetchall()
        assert _result_of(ronda, "reindex_archive")["dropped"] == 0
        assert database.execute(INDEX).fetchall() == before


def _result_of(ronda: RunningRonda, kind: str) -> dict[str, Any]:
    status, job = ronda.call("POST", "/jobs", {"kind": kind, "arguments": {}})
    assert status == 202, job
    result: dict[str, Any] = ronda.wait_for_job(job["id"], "succeeded")["result"]
    return result


def _kill(ronda: RunningRonda, role: str) -> None:
    for name, process in ronda.tree().items():
        if name.startswith(role):
            try:
                process.kill()
            except psutil.NoSuchProcess:
                return
