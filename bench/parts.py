"""The parts of a benchmark, those asked for: each in a process of its own, as Django is set up on one database only."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping

from bench.measured import Measured, tell

QUICK = "--quick"
Part = Callable[[], list[Measured]]


def run(module: str, parts: Mapping[str, Part]) -> None:
    """By the words of the command line; without any, all."""
    # Told to end, it must end what it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    words = sys.argv[1:]
    chosen = [word for word in words if word != QUICK] or list(parts)
    if unknown := set(chosen) - set(parts):
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. Parts: {', '.join(parts)}.")
    if len(chosen) == 1:
        tell(parts[chosen[0]]())
        return
    told: dict[str, object] = {}
    for name in chosen:
        command = [sys.executable, "-m", module, name, *([QUICK] if QUICK in words else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        told |= json.loads(done.stdout)
    sys.stdout.write(json.dumps(told) + "\n")
