"""`ronda up` as a person starts it: a process of its own, watched from outside."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil

from tests.warc_files import assert_read_by_others

RONDA = str(Path(sys.executable).with_name("ronda"))
# Generous: the machine may be busy with other things, and a test waits for conditions, not for time.
PATIENCE_SECONDS = 90.0

T = TypeVar("T")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(condition: Callable[[], T | None], what: str, seconds: float = PATIENCE_SECONDS) -> T:
    """The first truthy answer of `condition`."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.1)


def run_ronda(*arguments: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    return subprocess.run(
        [RONDA, *arguments],
        env={**_clean_environment(), "RONDA_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def _clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("RONDA_")} | {
        "COLUMNS": "200"
    }


class RunningRonda:
    def __init__(
        self,
        home: Path,
        *,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        self.home = home
        self.port = port or free_port()
        self.host = "127.0.0.1"
        self.arguments = list(arguments)
        # Not the port behind: somebody else's test may just be about to take it.
        self.replay_port = free_port()
        own = {"RONDA_PORT": str(self.port), "RONDA_REPLAY_PORT": str(self.replay_port)}
        self.environment = {"RONDA_HOME": str(home), **own, **(environment or {})}
        self.log_path = home.with_name(home.name + ".log")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def token(self) -> str:
        return (self.home / "token").read_text()

    @property
    def log(self) -> str:
        return self.log_path.read_text()

    def start(self, wait: bool = True, stdout: int | None = None, stderr: int | None = None) -> None:
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [RONDA, "up", *self.arguments],
                env={**_clean_environment(), **self.environment},
                stdout=log if stdout is None else stdout,
                stderr=log if stderr is None else stderr,
                start_new_session=True,
            )
        if wait:
            self.wait_until_whole()

    def wait_until_whole(self) -> dict[str, Any]:
        """Until every process runs, somebody leads and PostgreSQL answers."""

        def is_whole() -> dict[str, Any] | None:
            assert self.process is None or self.process.poll() is None, f"`ronda up` ended:\n{self.log}"
            health = self.health()
            mine = [p for p in health.get("processes", []) if p["role"] != "postgres"]
            return health if health["status"] == "ok" and mine else None

        try:
            return wait_for(is_whole, "a whole Ronda")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.health()}\n{self.log[-6000:]}") from None

    def health(self) -> dict[str, Any]:
        try:
            with urlopen(f"{self.url}/healthz", timeout=10) as response:
                return json.loads(response.read())  # type: ignore[no-any-return]
        except HTTPError as error:
            return json.loads(error.read())  # type: ignore[no-any-return]
        except OSError as error:
            return {"status": f"silent: {error}"}

    def call(self, method: str, path: str, body: Any = None, token: str | None = None) -> tuple[int, Any]:
        """An API call; status and parsed answer."""
        request = Request(
            f"{self.url}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token or self.token}", "Content-Type": "application/json"},
        )
        try:
            with urlopen(request, timeout=30) as response:
                raw = response.read()
                return response.status, json.loads(raw) if raw else None
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def start_drill(self, steps: int, pause_seconds: float) -> str:
        status, job = self.call(
            "POST", "/jobs", {"kind": "drill", "arguments": {"steps": steps, "pause_seconds": pause_seconds}}
        )
        assert status == 202, job
        return str(job["id"])

    def job(self, job_id: str) -> dict[str, Any]:
        """The job, asked again while the server is coming back."""

        def ask() -> dict[str, Any] | None:
            try:
                status, job = self.call("GET", f"/jobs/{job_id}")
            except OSError:
                return None
            return job if status == 200 else None

        return wait_for(ask, f"an answer about job {job_id}")

    def wait_for_job(self, job_id: str, *states: str) -> dict[str, Any]:
        def is_there() -> dict[str, Any] | None:
            job = self.job(job_id)
            return job if job["state"] in states else None

        try:
            return wait_for(is_there, f"job {job_id} to be {states}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.job(job_id)}\n{self.log[-6000:]}") from None

    def tree(self) -> dict[str, psutil.Process]:
        """The children by name, with `up` for the supervisor and `postgres` for the postmaster."""
        assert self.process
        supervisor = psutil.Process(self.process.pid)
        found = {"up": supervisor}
        for child in supervisor.children():
            try:
                words = child.cmdline()
            except psutil.Error:
                continue
            if "--name" in words:
                found[words[words.index("--name") + 1]] = child
            elif words and Path(words[0]).name == "postgres":
                found["postgres"] = child
        return found

    def wait_for_another(self, name: str, than: psutil.Process) -> None:
        """Until the child of that name is another process."""

        def is_another() -> bool:
            found = self.tree().get(name)
            return found is not None and found.pid != than.pid

        wait_for(is_another, f"another {name}")

    def kill(self) -> None:
        """kill -9 of the supervisor alone."""
        assert self.process
        self.process.kill()
        self.process.wait()
        self.process = None

    def kill_tree(self) -> None:
        """kill -9 of the supervisor and all it started, as a power cut would."""
        processes = list(self.tree().values())
        for process in processes:
            process.send_signal(signal.SIGSTOP)  # nobody may notice and react before its own end
        for process in processes:
            process.kill()
        assert self.process
        self.process.wait()
        self.process = None

    def stop(self) -> None:
        """As Ctrl-C does; whatever is left after a while is killed."""
        if self.process is None:
            return
        left = (
            psutil.Process(self.process.pid).children(recursive=True) if self.process.poll() is None else []
        )
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
        _, alive = psutil.wait_procs(left, timeout=30)
        for process in alive:
            process.kill()
        assert not alive, f"left behind: {alive}"
        assert_read_by_others([self.home / "archive"])
