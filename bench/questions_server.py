"""Questions through the server: upload, durable segments, answers; beside the same questions without one.

    python -m bench.questions_server [movies] [reddit] [live] [clients] [--quick]

movies   the five answers, files sent, durable and answered, against `ronda ask --local`
reddit   the three answers at the real size
live     with answers while data arrives, and without, in turns
clients  twenty at once, each with a small set, against one of them alone

Tables are made anew; with BENCH_DATA=FOLDER they are kept there for the next time. `--quick`: a hundredth of the data.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.running import RONDA, RunningRonda

from bench import parts, questions_data, reddit_data
from bench.measured import Measured, say
from bench.questions_data import Tables
from ronda.analysis.client import Asking, Server, ask

CLIENTS = 20
CORES = 2
ROUNDS = 3
T = TypeVar("T")


def main() -> None:
    is_quick = parts.QUICK in sys.argv
    share = 100 if is_quick else 1
    parts.run(
        "bench.questions_server",
        {
            "movies": lambda: _with_a_server(questions_data.movies(share=share), _through_the_server),
            "reddit": lambda: _with_a_server(questions_data.reddit(share=share), _of_reddit),
            "live": lambda: _with_a_server(questions_data.reddit(share=share), _live),
            "clients": lambda: _with_a_server(tempfile.TemporaryDirectory(prefix="ronda-bench-"), _many),
        },
    )


def _with_a_server(
    data: AbstractContextManager[T], measure: Callable[[RunningRonda, T], list[Measured]]
) -> list[Measured]:
    with (
        data as made,
        tempfile.TemporaryDirectory(prefix="ronda-bench-") as name,
        _ronda(Path(name)) as ronda,
    ):
        return measure(ronda, made)


@contextmanager
def _ronda(folder: Path) -> Iterator[RunningRonda]:
    running = RunningRonda(folder / "home", arguments=["--workers", "2"], environment={"RONDA_NODES": "0"})
    running.start()
    try:
        running.call("PUT", "/settings/sessions_per_client", {"value": 100})
        running.call("PUT", "/settings/session_megabytes_per_client", {"value": 200_000})
        yield running
    finally:
        running.stop()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _through_the_server(ronda: RunningRonda, tables: Tables) -> list[Measured]:
    """The commands as people give them, one after the other, three times each; the quickest of either."""
    local, by_server = [], []
    for _ in range(ROUNDS):
        seconds, expected = _command(ronda, "movies", tables, "--local")
        local.append(seconds)
        seconds, found = _command(ronda, "movies", tables)
        by_server.append(seconds)
        assert found == expected, "another answer"
        say(f"movies: {local[-1]:.1f} s without, {by_server[-1]:.1f} s with the server")
    return [
        Measured("movies_server_to_local", min(by_server) / min(local), 2.5, is_at_most=True),
    ]


def _of_reddit(ronda: RunningRonda, tables: Tables) -> list[Measured]:
    seconds, _ = _command(ronda, "reddit", tables)
    say(f"reddit: {seconds:.1f} s with the server")
    return [Measured("reddit_server_seconds", seconds, 60, is_at_most=True)]


def _command(ronda: RunningRonda, questions: str, tables: Tables, *more: str) -> tuple[float, Any]:
    words = [word for name, path in tables.items() for word in (f"--{name}", str(path))]
    environment = {**os.environ, **ronda.environment}
    began = time.perf_counter()
    done = subprocess.run(
        [RONDA, "ask", questions, *words, "--json", *more], env=environment, capture_output=True, check=False
    )
    seconds = time.perf_counter() - began
    assert done.returncode == 0, done.stderr.decode()
    return seconds, [(answer["question"], answer["rows"]) for answer in json.loads(done.stdout)]


def _live(ronda: RunningRonda, tables: Tables) -> list[Measured]:
    """With and without answers while data arrives, in turns."""
    took: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for is_live in (False, True):
            asking = Asking(
                questions="reddit",
                tables={name: [path] for name, path in tables.items()},
                is_live=is_live,
            )
            began = time.perf_counter()
            ask(Server(ronda.url, ronda.token), asking)
            took[is_live].append(time.perf_counter() - began)
        say(f"reddit: {took[True][-1]:.1f} s with live answers, {took[False][-1]:.1f} s without")
    ratio = statistics.median(took[True]) / statistics.median(took[False])
    return [Measured("live_to_not_live", ratio, 1.15, is_at_most=True)]


def _many(ronda: RunningRonda, folder: str) -> list[Measured]:
    """Twenty clients at once, each with a small set of its own, against one of them alone."""
    sets = [
        reddit_data.make(_made(Path(folder) / f"small-{number}"), posts=2_000, comments=8_000, seed=number)
        for number in range(CLIENTS)
    ]

    def one(number: int) -> float:
        data = sets[number]
        asking = Asking(questions="reddit", tables={"posts": [data.posts], "comments": [data.comments]})
        began = time.perf_counter()
        answers = ask(Server(ronda.url, ronda.token), asking)
        seconds = time.perf_counter() - began
        assert all(answer["complete"] and not answer["error"] for answer in answers)
        found[number].append([answer["digest"] for answer in answers])
        return seconds

    found: dict[int, list[list[str]]] = {number: [] for number in range(CLIENTS)}
    alone = statistics.median(one(number) for number in range(CLIENTS))
    with ThreadPoolExecutor(CLIENTS) as threads:
        together = sorted(threads.map(one, range(CLIENTS)))
    assert all(first == second for first, second in found.values()), "another answer"
    slowest = together[int(0.95 * CLIENTS) - 1]
    say(f"{CLIENTS} clients: one alone {alone:.2f} s, the slowest but one of all at once {slowest:.2f} s")
    return [Measured("clients_p95_seconds", slowest, round(3 * alone * CLIENTS / CORES, 3), is_at_most=True)]


if __name__ == "__main__":
    main()
