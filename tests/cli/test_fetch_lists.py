"""Lists that `ronda fetch` takes: what the server's own reader takes, from a file or from standard input."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from tests.running import RONDA, RunningRonda

# Refused at once, so that nothing is waited for.
LIST = '\ufeffftp://a.example/1\n  # a note\n\n  ftp://a.example/2\r\n{"url": "ftp://a.example/3"}\n'


def test_lists_are_read_as_the_server_reads_them(shared_ronda: RunningRonda, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RONDA_")}
    environment |= {"RONDA_HOME": str(shared_ronda.home), "RONDA_PORT": str(shared_ronda.port)}
    path = tmp_path / "urls.txt"
    path.write_text(LIST, newline="")

    def fetch(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [RONDA, "fetch", *words],
            env=environment,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    for done in (fetch(str(path), "--json"), fetch("-", "--json", given=LIST)):
        assert [answer["url"] for answer in json.loads(done.stdout)] == [
            f"ftp://a.example/{number}" for number in (1, 2, 3)
        ]
    wrong = fetch("-", given='http://a.example/\n{"url": 1}\n')
    assert wrong.returncode == 2
    assert "Line 2" in wrong.stderr
