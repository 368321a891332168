"""Ctrl-C or SIGTERM while `ronda fetch` waits: one reads what becomes of the fetch, and both ways on work."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.running import RONDA, RunningRonda, run_ronda, wait_for


def is_waiting(process: subprocess.Popen[str]) -> bool:
    """It catches SIGTERM, as Linux tells."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_fetch_says_how_to_go_on(
    shared_ronda: RunningRonda, tmp_path: Path, how: signal.Signals
) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RONDA_")}
    environment |= {"RONDA_HOME": str(shared_ronda.home), "RONDA_PORT": str(shared_ronda.port)}
    process = subprocess.Popen(
        [RONDA, "fetch", "http://nobody.invalid/", "-o", str(tmp_path / "my answers.warc.gz")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell in the background would have it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for(lambda: is_waiting(process), "the command to wait")
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    found = re.search(r"fetch ([0-9a-f-]{36}) goes on at the server", said)
    assert found, said
    number = found[1]
    assert f"ronda fetch --resume {number} -o '{tmp_path}/my answers.warc.gz'" in said
    assert f"ronda fetch --cancel {number}" in said
    assert shared_ronda.call("GET", f"/fetches/{number}")[1]["is_cancelled"] is False

    def ronda(*words: str) -> subprocess.CompletedProcess[str]:
        return run_ronda("fetch", *words, home=shared_ronda.home, RONDA_PORT=str(shared_ronda.port))

    done = ronda("--cancel", number)
    assert (done.returncode, "Cancelled" in done.stdout) == (0, True), done.stderr
    resumed = ronda("--resume", number, "--json")
    assert (resumed.returncode, '"http://nobody.invalid/"' in resumed.stdout) == (1, True), resumed.stderr


def test_one_thing_at_a_time(tmp_path: Path) -> None:
    for words in ([], ["http://a.example/", "--resume", "x"], ["--resume", "x", "--cancel", "y"]):
        assert run_ronda("fetch", *words, home=tmp_path).returncode == 2
