"""Questions, beside their peers in the same run.

    python -m bench.questions [movies] [reddit] [rabbitmq] [--quick]

movies    all answers about generated movies, `ronda ask --local`, beside a DuckDB script and a pandas script
reddit    all answers about generated posts and comments, `ronda ask --local`, beside a pandas script
rabbitmq  the mean score and the join of comments with posts, beside a pipeline over RabbitMQ in the documents' style

Tables are made anew; with BENCH_DATA=FOLDER they are kept there for the next time.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import parts, questions_data
from bench.measured import Measured, say
from bench.reddit_data import RedditData

GIGABYTE = 1024**3
Command = Sequence[str | Path]
ROUNDS = 3


def main() -> None:
    is_quick = parts.QUICK in sys.argv
    parts.run(
        "bench.questions",
        {
            "movies": lambda: _movies(is_quick=is_quick),
            "reddit": lambda: _reddit(is_quick=is_quick),
            "rabbitmq": lambda: _rabbitmq(is_quick=is_quick),
        },
    )


@dataclass(frozen=True)
class Run:
    """One program from start to end."""

    seconds: float
    peak_bytes: int
    said: Any


def run(command: Command) -> Run:
    """What it says last on stdout is JSON."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        if process.returncode:
            sys.exit(f"{command[0]} ended with {process.returncode}")
        out.seek(0)
        return Run(seconds, usage.ru_maxrss * 1024, json.loads(out.read()))


def in_turns(one: Command, other: Command, rounds: int) -> tuple[Run, Run]:
    """The quickest of each: what the machine does meanwhile meets both."""
    pairs = [(run(one), run(other)) for _ in range(rounds)]
    return min((pair[0] for pair in pairs), key=_seconds), min((pair[1] for pair in pairs), key=_seconds)


def _seconds(one: Run) -> float:
    return one.seconds


def ask(set_name: str, files: Mapping[str, Path]) -> list[str | Path]:
    program = shutil.which("ronda", path=str(Path(sys.executable).parent)) or "ronda"
    return [
        program,
        "ask",
        set_name,
        *(f"--{name}={path}" for name, path in files.items()),
        "--local",
        "--json",
    ]


def answers(run: Run) -> dict[str, list[list[Any]]]:
    return {one["question"]: one["rows"] for one in run.said}


def _movies(*, is_quick: bool) -> list[Measured]:
    with questions_data.movies(share=20 if is_quick else 1) as files:
        ours, by_hand = in_turns(ask("movies", files), _script("questions_by_hand", files), ROUNDS)
        pandas = run(_script("questions_in_pandas", files, "movies"))
    say(f"ronda ask --local {ours.seconds:.1f} s, {ours.peak_bytes / GIGABYTE:.2f} GB at most")
    say(f"DuckDB by hand {by_hand.seconds:.1f} s, {by_hand.peak_bytes / GIGABYTE:.2f} GB")
    say(f"pandas {pandas.seconds:.1f} s, {pandas.peak_bytes / GIGABYTE:.2f} GB")
    _compare("DuckDB by hand", answers(ours), by_hand.said)
    _compare("pandas", answers(ours), pandas.said)
    return [
        Measured("movies_times_duckdb_by_hand", ours.seconds / by_hand.seconds, 1.3, is_at_most=True),
        Measured("movies_times_faster_than_pandas", pandas.seconds / ours.seconds, 5),
        Measured("movies_peak_gb", ours.peak_bytes / GIGABYTE, 4, is_at_most=True),
    ]


def _reddit(*, is_quick: bool) -> list[Measured]:
    with questions_data.reddit(share=20 if is_quick else 1) as files:
        ours = run(ask("reddit", files))
        pandas = run(_script("questions_in_pandas", files, "reddit"))
    say(f"ronda ask --local {ours.seconds:.1f} s, {ours.peak_bytes / GIGABYTE:.2f} GB at most")
    say(f"pandas {pandas.seconds:.1f} s, {pandas.peak_bytes / GIGABYTE:.2f} GB")
    _compare("pandas", answers(ours), pandas.said)
    return [
        Measured("reddit_local_seconds", ours.seconds, 60, is_at_most=True),
        Measured("reddit_times_faster_than_pandas", pandas.seconds / ours.seconds, 1),
        Measured("reddit_peak_gb", ours.peak_bytes / GIGABYTE, 4, is_at_most=True),
    ]


def _rabbitmq(*, is_quick: bool) -> list[Measured]:
    from bench import questions_over_rabbitmq as peer

    if missing := peer.what_is_missing():
        say(f"SKIPPED: the pipeline over RabbitMQ, as {missing}")
        return []
    with (
        questions_data.reddit(share=100 if is_quick else 10) as files,
        tempfile.TemporaryDirectory(prefix="ronda-bench-") as name,
    ):
        ours = run([*ask("reddit", files), "-q", "mean_score", "-q", "student_favourites"])
        pipeline = peer.measure(RedditData(**files), Path(name))
    say(f"ronda ask --local {ours.seconds:.1f} s, pipeline over RabbitMQ {pipeline.seconds:.1f} s")
    _compare("RabbitMQ", answers(ours), pipeline.said)
    return [Measured("times_faster_than_rabbitmq_pipeline", pipeline.seconds / ours.seconds, 1)]


def _script(module: str, files: Mapping[str, Path], *words: str) -> list[str | Path]:
    return [sys.executable, "-m", f"bench.{module}", *words, *files.values()]


def _compare(peer: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """A peer that answers something else is no peer."""
    for name, rows in theirs.items():
        if json.loads(json.dumps(rows)) != ours[name]:
            say(f"{peer} answers {name} differently: {str(rows)[:300]} against {str(ours[name])[:300]}")


if __name__ == "__main__":
    main()
