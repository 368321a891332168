"""What a contributor does with a machine: stop it, pause it, cap it, take it away. Nothing is lost by any of it.

Leases are minutes long here: that others go on at once shows that what was not fetched had been given back.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.grid.slow_parts import serving, slow_line, slow_site
from tests.running import RunningRonda, free_port, wait_for

RONDA_NODE = str(Path(sys.executable).with_name("ronda-node"))
SITES = 4
PAGES = 6


@pytest.fixture(scope="module")
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path_factory.mktemp("lent") / "home",
        arguments=["--demo", "--nodes", "0", "--workers", "1"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    _set(running, longest_fetch_seconds=2, waiting_nodes_seconds=1)
    yield running
    running.stop()


def _set(ronda: RunningRonda, **settings: int) -> None:
    for name, value in settings.items():
        assert ronda.call("PUT", f"/settings/{name}", {"value": value})[0] == 200


class LentNode:
    def __init__(
        self,
        ronda: RunningRonda,
        folder: Path,
        name: str,
        *options: str,
        most_file_bytes: int = -1,
        url: str = "",
    ) -> None:
        self.name = name
        self.home = folder / name
        self._ronda = ronda
        self.log = folder / f"{name}.log"
        environment = {key: value for key, value in os.environ.items() if not key.startswith("RONDA_")}
        command = [
            RONDA_NODE, "join", url or ronda.url, "--name", name, "--home", str(self.home),
            "--allow-private-networks", *options,
        ]  # fmt: skip
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                stderr=log,
                env={**environment, "RONDA_NODE_TOKEN": ronda.token},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, -1)),
            )

    @property
    def row(self) -> dict[str, Any]:
        _, nodes = self._ronda.call("GET", "/nodes?page_size=500")
        return next((node for node in nodes["items"] if node["name"] == self.name), {})

    def wait_until_resting(self, because: str) -> None:
        def rests() -> bool:
            row = self.row
            return because in row.get("resting_because", "") and not row["pending"]

        wait_for(rests, f"{self.name} to rest")

    def wait_until_fetching(self) -> None:
        wait_for(lambda: (self.home / "fetches.jsonl").exists() and self._count() > 0, "a first fetch")

    def _count(self) -> int:
        return sum(len(path.read_bytes()) for path in (self.home / "blocks").glob("*.warc.gz"))

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0, self.log.read_text()


@pytest.fixture
def lend(ronda: RunningRonda, tmp_path: Path) -> Iterator[Callable[..., LentNode]]:
    nodes: list[LentNode] = []

    def make(*options: str, url: str = "") -> LentNode:
        nodes.append(LentNode(ronda, tmp_path, f"{tmp_path.name} {len(nodes)}", *options, url=url))
        return nodes[-1]

    yield make
    for node in nodes:
        if node.process.poll() is None:
            node.stop()


@pytest.fixture
def fetch(ronda: RunningRonda) -> str:
    """Some seconds of work."""
    return _ask_for(ronda, _urls(ronda, 0))


def _urls(ronda: RunningRonda, first: int) -> list[str]:
    with urlopen(f"http://127.77.0.1:{ronda.environment['RONDA_DEMO_PORT']}/api/sites") as response:
        sites = [site for site in json.loads(response.read())["sites"] if site["robots"] == "open"]
    chosen = sites[first : first + SITES]
    return [site["url"].rstrip("/") + page for site in chosen for page in site["pages"][:PAGES]]


def _ask_for(ronda: RunningRonda, urls: list[str]) -> str:
    status, made = ronda.call("POST", "/fetches", {"urls": urls})
    assert status == 202, made
    return str(made["id"])


def wait_until_done(ronda: RunningRonda, fetch: str) -> None:
    wait_for(lambda: ronda.call("GET", f"/fetches/{fetch}")[1]["is_done"], "the fetch to be done")


def test_kill_switch(ronda: RunningRonda, lend: Callable[..., LentNode], fetch: str) -> None:
    node = lend()
    node.wait_until_fetching()
    subprocess.run(
        [RONDA_NODE, "stop", "--home", str(node.home)], check=True, timeout=60, capture_output=True
    )
    node.wait_until_resting("stopped by its owner")
    assert not list((node.home / "blocks").iterdir()), "all was given back"
    fetched = (node.home / "fetches.jsonl").read_bytes()
    other = lend("--slots", "4")
    wait_until_done(ronda, fetch)
    assert (node.home / "fetches.jsonl").read_bytes() == fetched
    other.stop()
    subprocess.run(
        [RONDA_NODE, "start", "--home", str(node.home)], check=True, timeout=60, capture_output=True
    )
    wait_for(lambda: not node.row["resting_because"], "it to go on")


def test_told_to_end_it_gives_back_what_it_has(
    ronda: RunningRonda, lend: Callable[..., LentNode], fetch: str
) -> None:
    node = lend()
    node.wait_until_fetching()
    node.stop()
    assert not list((node.home / "blocks").iterdir())
    assert ronda.call("GET", f"/fetches/{fetch}")[1]["ended"] > 0
    lend()
    wait_until_done(ronda, fetch)


def test_killed_it_brings_what_it_had_when_it_is_back(
    ronda: RunningRonda, lend: Callable[..., LentNode], fetch: str, tmp_path: Path
) -> None:
    node = lend()
    node.wait_until_fetching()
    node.process.kill()
    node.process.wait()
    assert list((node.home / "blocks").glob("*.journal"))
    again = LentNode(ronda, tmp_path, node.name)
    try:
        wait_until_done(ronda, fetch)
    finally:
        again.stop()
    assert "bringing block" in again.log.read_text()


def test_pause_and_removal_on_the_server(
    ronda: RunningRonda, lend: Callable[..., LentNode], fetch: str
) -> None:
    node = lend()
    node.wait_until_fetching()
    path = f"/nodes/{node.row['id']}"
    assert ronda.call("POST", f"{path}/pause")[1]["paused_at"]
    node.wait_until_resting("paused on the server")
    assert ronda.call("POST", f"{path}/resume")[1]["paused_at"] is None
    wait_until_done(ronda, fetch)
    assert ronda.call("DELETE", path)[0] == 204
    assert node.process.wait(60) == 2
    assert "removed by its contributor" in node.log.read_text()
    assert "Traceback" not in node.log.read_text()
    assert not node.row


def test_caps(ronda: RunningRonda, lend: Callable[..., LentNode], fetch: str) -> None:
    small = lend("--bytes-per-month", "20kB", "--country", "CL")
    small.wait_until_resting("the bytes of this month are used up")
    used = json.loads((small.home / "usage.json").read_text())["bytes"] if small.stop() is None else 0
    assert used >= 20_000
    assert small.row["country"] == "CL"
    again = lend("--hours", _not_now())
    again.wait_until_resting("outside of the hours allowed")
    again.stop()
    assert (again.home / "fetches.jsonl").read_bytes() == b""
    lend("--bandwidth", "200kB/s", "--slots", "2")
    wait_until_done(ronda, fetch)


def _not_now() -> str:
    """Two hours that begin in eleven: however long the test takes, not now."""
    from datetime import datetime

    hour = (datetime.now().astimezone().hour + 11) % 24
    return f"{hour}-{(hour + 2) % 24}"


def test_full_disk_ends_it_and_the_next_start_brings_what_there_was(
    ronda: RunningRonda, fetch: str, tmp_path: Path
) -> None:
    node = LentNode(ronda, tmp_path, "full", most_file_bytes=20_000)
    assert node.process.wait(60) == 1, node.log.read_text()
    assert "cannot be kept" in node.log.read_text()
    assert "Traceback" not in node.log.read_text()
    again = LentNode(ronda, tmp_path, "full")
    try:
        wait_until_done(ronda, fetch)
    finally:
        again.stop()


def test_two_nodes_in_one_home(ronda: RunningRonda, lend: Callable[..., LentNode], tmp_path: Path) -> None:
    node = lend()
    wait_for(lambda: node.row, "the node to be listed")
    second = LentNode(ronda, tmp_path, node.name)
    assert second.process.wait(60) == 2
    assert "Another node runs in" in second.log.read_text()


def test_slow_upload_does_not_stop_fetching(ronda: RunningRonda, lend: Callable[..., LentNode]) -> None:
    """Of a node that is known: who is not, holds little, and less the more its person's others left undone before."""
    line = slow_line(ronda.url)
    line.is_open.set()
    with serving(line) as url:
        try:
            node = lend(url=url)
            _earn_trust(ronda, node)
            line.is_open.clear()
            line.is_uploading.clear()
            fetch = _ask_for(ronda, _urls(ronda, 0))
            wait_for(line.is_uploading.is_set, "the first block to be on its way, where it stays")
            others = _urls(ronda, SITES)
            later = _ask_for(ronda, others)
            log = node.home / "fetches.jsonl"
            wait_for(lambda: others[0].rpartition("/")[0] in log.read_text(), "it to fetch meanwhile")
            assert not line.is_open.is_set()
        finally:
            line.is_open.set()
        for one in (fetch, later):
            wait_until_done(ronda, one)
        node.stop()


def _earn_trust(ronda: RunningRonda, node: LentNode) -> None:
    """By what it is tried with: fetch after fetch, until that is enough."""
    pages = itertools.count()

    def is_trusted() -> bool:
        wait_until_done(ronda, _ask_for(ronda, [f"{_urls(ronda, 2 * SITES)[0]}?{next(pages)}"]))
        return bool(node.row["trust"]) and node.row["trust"]["state"] == "trusted"

    wait_for(is_trusted, "it to be trusted")


def test_when_a_url_is_fetched_twice(ronda: RunningRonda, lend: Callable[..., LentNode]) -> None:
    """Not because it takes longer than a lease: whoever is at work keeps it. Only when a try failed, and then not
    before the time for another has come."""
    _set(ronda, task_timeout_seconds=10, longest_fetch_seconds=14, first_retry_seconds=1)
    long, late = slow_site(12), slow_site(18)
    with serving(long) as long_url, serving(late) as late_url:
        node = lend()
        made = _ask_for(ronda, [f"{long_url}/page", f"{late_url}/page"])
        wait_until_done(ronda, made)
        node.stop()
    _set(ronda, task_timeout_seconds=120, longest_fetch_seconds=2, first_retry_seconds=30)
    results = Request(
        f"{ronda.url}/api/v1/fetches/{made}/results", headers={"Authorization": f"Bearer {ronda.token}"}
    )
    with urlopen(results) as response:
        answers = [json.loads(line) for line in response]
    assert [(answer["state"], answer["status"]) for answer in answers] == [("fetched", 200)] * 2
    assert len(long.asked_at) == 1
    first, second = late.asked_at
    assert second - first >= 14 + 1, "it was given up, and tried again after a second"
    log = [json.loads(line) for line in (node.home / "fetches.jsonl").read_text().splitlines()]
    tries = [entry.get("reason") or entry["status"] for entry in log if entry["url"] == f"{late_url}/page"]
    assert tries == ["timeout", 200], "its owner can see why"
