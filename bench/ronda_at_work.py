"""A Ronda of the benchmark's own: `ronda up` without nodes, and nodes as contributors run them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import psutil
from tests.running import RunningRonda, wait_for

NODE = str(Path(sys.executable).with_name("ronda-node"))


class RondaAtWork:
    def __init__(self, running: RunningRonda, folder: Path) -> None:
        self.running = running
        self._folder = folder

    def set(self, **values: float) -> None:
        for name, value in values.items():
            status, answer = self.running.call("PUT", f"/settings/{name}", {"value": str(value)})
            assert status == 200, answer

    @contextmanager
    def nodes(self, count: int, *, slots: int | None) -> Iterator[None]:
        """So many nodes, registered and waiting for work."""
        with ExitStack() as stack:
            for number in range(count):
                log = stack.enter_context((self._folder / f"node-{number}.log").open("ab"))
                words = [NODE, "join", self.running.url, "--allow-private-networks"]
                words += ["--token", self.running.token, "--name", f"node {number}"]
                words += ["--home", str(self._folder / f"node-{number}")]
                words += ["--slots", str(slots)] if slots else []
                process = subprocess.Popen(words, stderr=log)
                stack.callback(process.wait)
                stack.callback(process.terminate)
            wait_for(lambda: self._present() >= count, "the nodes to register")
            yield

    def _present(self) -> int:
        _, answer = self.running.call("GET", "/nodes")
        return sum(node["is_present"] for node in answer["items"])

    def fetch_seconds(self, urls: list[str]) -> float:
        """From handing in the URLs until the last answer is archived and indexed."""
        began = time.perf_counter()
        status, fetch = self.running.call("POST", "/fetches", {"urls": urls})
        assert status == 202, fetch
        while not fetch["is_done"]:
            time.sleep(0.1)
            status, answer = self.running.call("GET", f"/fetches/{fetch['id']}")
            assert status == 200, answer
            fetch = answer
        seconds = time.perf_counter() - began
        self._check(fetch["id"], urls)
        return seconds

    def _check(self, fetch_id: str, urls: list[str]) -> None:
        """What is measured must be right, too: every URL once, with a page."""
        request = Request(
            f"{self.running.url}/api/v1/fetches/{fetch_id}/results",
            headers={"Authorization": f"Bearer {self.running.token}"},
        )
        with urlopen(request, timeout=60) as response:
            answers = [json.loads(line) for line in response]
        assert sorted(answer["url"] for answer in answers) == sorted(urls)
        assert {answer["status"] for answer in answers} == {200}

    def web_process(self) -> psutil.Process:
        return next(process for name, process in self.running.tree().items() if name.startswith("web"))


@contextmanager
def ronda_at_work() -> Iterator[RondaAtWork]:
    folder = Path(tempfile.mkdtemp(prefix="ronda-bench-"))
    running = RunningRonda(
        folder / "home",
        arguments=["--nodes", "0", "--workers", "1"],
        environment={"RONDA_ALLOW_PRIVATE_NETWORKS": "yes"},
    )
    try:
        running.start()
        yield RondaAtWork(running, folder)
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
