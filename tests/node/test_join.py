"""`ronda-node join` as a contributor types it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.running import RunningRonda, wait_for

RONDA_NODE = str(Path(sys.executable).with_name("ronda-node"))


def test_node_joins_and_leaves(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    command = [RONDA_NODE, "join", shared_ronda.url, "--token", shared_ronda.token, "--name", "lent laptop",
               "--home", str(tmp_path / "home")]  # fmt: skip
    with (tmp_path / "log").open("wb") as log:
        node = subprocess.Popen(command, stderr=log)
    try:

        def is_listed() -> bool:
            _, nodes = shared_ronda.call("GET", "/nodes?page_size=500")
            return any(n["name"] == "lent laptop" and n["is_present"] for n in nodes["items"])

        wait_for(is_listed, "the node to be listed")
    finally:
        node.send_signal(signal.SIGINT)
        assert node.wait(30) == 0


def test_unwelcome_node_says_why(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    done = subprocess.run(
        [RONDA_NODE, "join", shared_ronda.url, "--token", "ronda_wrong", "--home", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "401" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_arguments() -> None:
    for arguments in (
        ["join", "ronda.example", "--token", "x"],
        ["join", "http://ronda.example"],
        ["join", "http://ronda.example", "--token", "two\nlines"],
        ["join", "http://ronda.example", "--token", "ñ"],
        ["fly"],
        [],
    ):
        done = subprocess.run(
            [RONDA_NODE, *arguments], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
