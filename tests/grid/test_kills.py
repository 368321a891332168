"""All pages of the demo's web, while nodes, web and PostgreSQL are killed and the nodes' clocks are wrong: every URL is
answered once, the WARC is clean, and the origin's own log shows no haste."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.running import RONDA, RunningRonda, free_port, wait_for

DELAY_SECONDS = 0.3
SETTINGS = {
    "delay_floor_seconds": str(DELAY_SECONDS),
    "delay_latency_factor": "1",
    "task_timeout_seconds": 10,
    "waiting_nodes_seconds": 1,
    # Each kill of its node is one: a URL is not to blame for what happens to nodes here.
    "most_attempts": 20,
    # Sites that answer "not now" rest, but not for minutes.
    "first_backoff_seconds": 1,
    "first_retry_seconds": 1,
}
SKEWS_SECONDS = (-86_400.0, 3_600.0, 0.0)
# Every other page of it comes too early for its taste, and its rests double.
RATE_LIMITED, RATE_LIMITED_PAGES = "429 when hurried", 4
NOT_NOW = {429, 503}
FETCH_SECONDS = 300.0


class LentNode:
    """`ronda-node join` on a machine with a wrong clock, started again whenever it died, as systemd would."""

    def __init__(self, ronda: RunningRonda, folder: Path, number: int) -> None:
        self.name = f"lent-{number}"
        self._log = (folder / f"{self.name}.log").open("ab")
        self._command = [
            sys.executable, "-m", "tests.grid.skewed_node", str(SKEWS_SECONDS[number % len(SKEWS_SECONDS)]),
            "join", ronda.url, "--token", ronda.token, "--name", self.name,
            "--home", str(folder / self.name), "--allow-private-networks",
        ]  # fmt: skip
        self.start()

    def start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("RONDA_")}
        self._process = subprocess.Popen(self._command, stderr=self._log, env=environment)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self.start()

    def freeze(self) -> None:
        """As a laptop that falls asleep."""
        self._process.send_signal(signal.SIGSTOP)

    def wake(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self.wake()
        self._process.terminate()
        assert self._process.wait(30) == 0
        self._log.close()


@pytest.fixture(scope="module")
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path_factory.mktemp("kills") / "home",
        arguments=["--demo", "--nodes", "1", "--workers", "1"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    for name, value in SETTINGS.items():
        _set(running, name, value)
    yield running
    running.stop()


def _set(ronda: RunningRonda, name: str, value: str | int) -> None:
    status, answer = ronda.call("PUT", f"/settings/{name}", {"value": value})
    assert status == 200, answer


@pytest.fixture
def lent(ronda: RunningRonda, tmp_path: Path) -> Iterator[list[LentNode]]:
    nodes: list[LentNode] = []
    yield nodes
    for node in nodes:
        node.stop()


def _control(ronda: RunningRonda, path: str) -> Any:
    with urlopen(f"http://127.77.0.1:{ronda.environment['RONDA_DEMO_PORT']}/api/{path}") as response:
        return json.loads(response.read())


def _pages(site: dict[str, Any]) -> list[str]:
    pages: list[str] = site["pages"]
    return pages[:RATE_LIMITED_PAGES] if RATE_LIMITED in site["quirks"] else pages


def _forget_rests(ronda: RunningRonda) -> None:
    """What sites asked for in the test before would only take time."""
    for host in ronda.call("GET", "/hosts?page_size=500")[1]["items"]:
        if host["backoff_until"]:
            assert ronda.call("DELETE", f"/hosts/{host['name']}/backoff")[0] == 200


@pytest.mark.parametrize(("nodes", "kills"), [(1, 0), (2, 4), (4, 10)], ids=["1", "2", "4"])
def test_every_url_is_answered_once_and_politely(
    ronda: RunningRonda, lent: list[LentNode], tmp_path: Path, nodes: int, kills: int
) -> None:
    # Short, so that what a silent node held is soon free again; where nobody dies, long enough for any machine.
    _set(ronda, "longest_fetch_seconds", 5 if kills else 60)
    lent.extend(LentNode(ronda, tmp_path, number) for number in range(nodes - 1))
    sites = _control(ronda, "sites")["sites"]
    urls = [site["url"].rstrip("/") + page for site in sites for page in _pages(site)]
    _forget_rests(ronda)
    before, began_at = len(_log(ronda)), datetime.now(UTC)
    answers = _fetch(ronda, lent, urls, tmp_path, kills)
    assert Counter(answer["url"] for answer in answers) == Counter(dict.fromkeys(urls, 1))
    unexplained = [a for a in answers if a["state"] != "fetched" and "robots.txt" not in (a["reason"] or "")]
    assert not unexplained
    times = [datetime.fromisoformat(answer["fetched_at"]) for answer in answers if answer["fetched_at"]]
    assert began_at <= min(times) <= max(times) <= datetime.now(UTC), "whatever the nodes' clocks say"
    assert sum(answer["state"] == "fetched" for answer in answers) > len(urls) // 2
    _assert_clean(tmp_path / "out.warc.gz", answers)
    hits = _log(ronda)[before:]
    _assert_polite(sites, hits)
    if not kills:
        _assert_not_repeated(ronda, hits)


def _fetch(
    ronda: RunningRonda, lent: Sequence[LentNode], urls: Sequence[str], folder: Path, kills: int
) -> list[dict[str, Any]]:
    """`ronda fetch`, and once it was taken on, somebody with a loaded gun, while one of the nodes sleeps."""
    earlier = ronda.call("GET", "/fetches")[1]["total"]
    (folder / "urls.txt").write_text("\n".join(urls))
    with (folder / "answers.json").open("wb") as stdout, (folder / "fetch.log").open("wb") as stderr:
        fetching = subprocess.Popen(
            [RONDA, "fetch", str(folder / "urls.txt"), "-o", str(folder / "out.warc.gz"), "--json"],
            env={**os.environ, "RONDA_HOME": str(ronda.home), "RONDA_PORT": str(ronda.port)},
            stdout=stdout,
            stderr=stderr,
        )
    try:
        wait_for(lambda: ronda.call("GET", "/fetches")[1]["total"] > earlier, "the fetch to be taken on")
        _kill_at_random(ronda, lent, kills, fetching)
        fetching.wait(FETCH_SECONDS)
    finally:
        fetching.kill()
        fetching.wait()
    text = (folder / "answers.json").read_text()
    assert text, (folder / "fetch.log").read_text() + ronda.log[-6000:]
    answers: list[dict[str, Any]] = json.loads(text)
    return answers


def _kill_at_random(
    ronda: RunningRonda, lent: Sequence[LentNode], kills: int, fetching: subprocess.Popen[bytes]
) -> None:
    chance = random.Random(f"{len(lent)} lent nodes")
    by_name = {node.name: node for node in lent[:-1]}
    victims = ["node-1", *by_name, "web-1", "postgres"]
    sleeper = lent[-1] if lent else None
    for number in range(kills):
        if sleeper and number == 1:
            sleeper.freeze()
        elif sleeper and number == kills - 1:
            sleeper.wake()
        time.sleep(chance.uniform(0.5, 3.0))  # a moment at random is what this is about
        if fetching.poll() is not None:
            return
        victim = chance.choice(victims)
        if victim in by_name:
            by_name[victim].kill()
        else:
            process = wait_for(lambda name=victim: ronda.tree().get(name), f"a {victim} to kill")
            process.kill()
            ronda.wait_for_another(victim, process)


def _assert_clean(path: Path, answers: list[dict[str, Any]]) -> None:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    command = [Path(sys.executable).with_name("warcio"), "check", path]
    check = subprocess.run(command, capture_output=True, check=False)
    assert check.returncode == 0, check.stdout
    with path.open("rb") as file:
        found = Counter(
            record.headers["WARC-Target-URI"]
            for record in ArchiveIterator(file, record_types=WarcRecordType.response)
        )
    assert found == Counter(answer["final_url"] for answer in answers if answer["state"] == "fetched")


def _log(ronda: RunningRonda) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = _control(ronda, "access-log?limit=1000000")["entries"]
    return entries


def _assert_polite(sites: list[dict[str, Any]], hits: list[dict[str, Any]]) -> None:
    """From the end of an answer to the next question, whoever asks: pages, robots.txt and redirects alike."""
    for site in sites:
        mine = sorted(
            (hit for hit in hits if hit["site"] == site["name"]), key=lambda hit: hit["started_monotonic"]
        )
        delay = max(DELAY_SECONDS, site["crawl_delay_seconds"] or 0)
        for earlier, later in itertools.pairwise(mine):
            assert earlier["ended_monotonic"], ("two at once", site["name"], earlier, later)
            gap = later["started_monotonic"] - earlier["ended_monotonic"]
            assert gap >= delay, (gap, delay, site["name"], earlier, later)


def _assert_not_repeated(ronda: RunningRonda, hits: list[dict[str, Any]]) -> None:
    """Where nobody dies, a page is asked for again only after it was not had: by the word of the site, or of the node,
    whose own log says of every other page that it came at the first try."""
    [path] = (ronda.home / "logs").glob("node-1-fetches.jsonl")
    failed = {entry["url"] for entry in map(json.loads, path.read_text().splitlines()) if "reason" in entry}
    assert not failed, "longest_fetch_seconds is long: nothing is late, however busy this machine is"
    had = Counter((hit["site"], hit["path"]) for hit in hits if hit["status"] not in NOT_NOW)
    assert max(had.values()) == 1
