"""The whole way: URLs handed in, fetched by nodes from the demo's web, taken home as WARC; the origin saw no haste."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from tests.running import RunningRonda, free_port, run_ronda

# A page of some sites that redirects to their home.
MOVED, MOVED_PAGE = "/old-home", "moved page"
SITES = 14
PAGES = 3


@pytest.fixture(scope="module")
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path_factory.mktemp("fetching") / "home",
        arguments=["--demo", "--nodes", "2", "--workers", "1"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    yield running
    running.stop()


def _control(ronda: RunningRonda, path: str) -> Any:
    with urlopen(f"http://127.77.0.1:{ronda.environment['RONDA_DEMO_PORT']}/api/{path}") as response:
        return json.loads(response.read())


def test_every_url_is_answered_once_and_politely(ronda: RunningRonda, tmp_path: Path) -> None:
    assert ronda.call("PUT", "/settings/delay_floor_seconds", {"value": "0.3"})[0] == 200
    sites = [
        site
        for site in _control(ronda, "sites")["sites"]
        if site["robots"] in ("open", "crawl-delay", "missing", "disallow") and "busy" not in site["quirks"]
    ][:SITES]
    urls = [site["url"].rstrip("/") + page for site in sites for page in site["pages"][:PAGES]]
    moved = [site["url"].rstrip("/") + MOVED for site in sites if MOVED_PAGE in site["quirks"]]
    assert moved
    urls += moved
    # A delay over all nodes holds however many may take turns.
    for site in sites[:3]:
        assert ronda.call("POST", "/fetches", {"urls": [site["url"]]})[0] == 202
        name = urlsplit(site["url"]).netloc
        assert ronda.call("PATCH", f"/hosts/{name}", {"max_nodes": 2})[0] == 200
    (tmp_path / "urls.txt").write_text("\n".join([*urls, urls[0], "http://user@127.0.0.1/"]))
    done = run_ronda(
        "fetch", str(tmp_path / "urls.txt"), "-o", str(tmp_path / "out.warc.gz"), "--json",
        home=ronda.home, RONDA_PORT=str(ronda.port),
    )  # fmt: skip
    answers = json.loads(done.stdout)
    assert sorted(answer["url"] for answer in answers) == sorted([*urls, "http://user@127.0.0.1/"])
    assert all(a["state"] == "fetched" or a["reason"] for a in answers)
    assert {a["state"] for a in answers if "user@" in a["url"]} == {"refused"}
    assert sum(a["state"] == "fetched" for a in answers) > len(urls) // 2
    check = subprocess.run(
        [Path(sys.executable).with_name("warcio"), "check", tmp_path / "out.warc.gz"],
        capture_output=True,
        check=False,
    )
    assert check.returncode == 0, check.stdout
    with (tmp_path / "out.warc.gz").open("rb") as file:
        found = ArchiveIterator(file, record_types=WarcRecordType.response)
        brought = {record.headers["WARC-Target-URI"] for record in found}
    ended = [answer for answer in answers if answer["state"] == "fetched"]
    assert {answer["url"] for answer in ended} | {answer["final_url"] for answer in ended} == brought
    assert all(answer["final_url"] != answer["url"] for answer in ended if answer["url"] in moved)
    _assert_polite(ronda, sites)


def _assert_polite(ronda: RunningRonda, sites: list[dict[str, Any]]) -> None:
    entries = _control(ronda, "access-log")
    rows = entries["entries"]
    for site in sites:
        mine = sorted(
            (row for row in rows if row["site"] == site["name"]), key=lambda row: row["started_monotonic"]
        )
        assert mine[0]["path"] == "/robots.txt"
        delay = max(0.3, (site.get("crawl_delay_seconds") or 0) if site["robots"] == "crawl-delay" else 0)
        for earlier, later in itertools.pairwise(mine):
            gap = later["started_monotonic"] - earlier["ended_monotonic"]
            assert gap >= delay, (site["name"], earlier, later)
