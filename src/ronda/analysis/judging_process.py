"""VADER in a process of its own: python -m ronda.analysis.judging_process.

VADER is Python through and through: where tables are read by threads of this process, they would wait for it. Lists of
texts and of scores go back and forth as lines of JSON; it ends when nobody asks any more.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from ronda.analysis.sentiment import VADER, Vader


class VaderBeside(Vader):
    """The same scores. If its process is lost, they are made here."""

    def __init__(self) -> None:
        super().__init__()
        self._one_at_a_time = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ronda.analysis.judging_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C is for us; it ends with us.
            start_new_session=True,
        )

    def _judged(self, texts: list[str]) -> list[float]:
        try:
            with self._one_at_a_time:
                found: list[float] = json.loads(self._asked(json.dumps(texts).encode() + b"\n"))
        except (OSError, ValueError):
            return super()._judged(texts)
        return found

    def _asked(self, line: bytes) -> bytes:
        assert self._process.stdin  # noqa: S101
        assert self._process.stdout  # noqa: S101
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def main() -> None:
    for line in sys.stdin:
        sys.stdout.write(json.dumps(VADER.scores(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
