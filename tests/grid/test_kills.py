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
}
SKEWS_SECONDS = (-86_400.0, 3_600.0, 0.0)
# Sites that answer "not now" rest for minutes, which the frontier's own tests look at.
BUSY = {"429 when hurried", "503 now and then"}
# A second and more between two pages, or a rest of a minute before the first.
SLOW = {"crawl-delay", "erroring"}
# On a busy machine the origin notes the end of an answer some time after we have it.
TOLERANCE_SECONDS = 0.1
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


@pytest.mark.parametrize(
    ("nodes", "kills", "has_slow_sites"), [(1, 0, False), (2, 4, False), (4, 10, True)], ids=["1", "2", "4"]
)
def test_every_url_is_answered_once_and_politely(
    ronda: RunningRonda, lent: list[LentNode], tmp_path: Path, nodes: int, kills: int, has_slow_sites: bool
) -> None:
    # Short, so that what a silent node held is soon free again; where nobody dies, long enough for any machine.
    _set(ronda, "longest_fetch_seconds", 5 if kills else 60)
    lent.extend(LentNode(ronda, tmp_path, number) for number in range(nodes - 1))
    sites = [
        site
        for site in _control(ronda, "sites")["sites"]
        if BUSY.isdisjoint(site["quirks"]) and (has_slow_sites or site["robots"] not in SLOW)
    ]
    urls = [site["url"].rstrip("/") + page for site in sites for page in site["pages"]]
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
        assert max(Counter((hit["site"], hit["path"]) for hit in hits).values()) == 1, "nothing is repeated"


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
            assert gap >= delay - TOLERANCE_SECONDS, (gap, delay, site["name"], earlier, later)
            # It noted the beginning before we had the answer: here nothing needs to be tolerated.
            assert later["started_monotonic"] - earlier["started_monotonic"] >= delay, (earlier, later)
