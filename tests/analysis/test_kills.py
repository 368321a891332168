"""`kill -9` of clients, web, workers, leader, PostgreSQL and supervisor at random, several clients at once: every
answer is byte-equal to the undisturbed one, and of a client that never came back neither a row nor a file is left."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from ronda.database.embedded import EmbeddedPostgres
from tests.running import RunningRonda, wait_for

# Who has half an hour gives it a hundred.
KILLS = int(os.environ.get("SESSION_KILLS", "7"))
CLIENTS = 3
GRACE_SECONDS = 12
SERVER_PARTS = ("web-1", "worker-1", "worker-2", "leader-1", "postgres", "up")
BODIES = ("so true", "a student\nof life", 'the "professor"', "Students, all of us", "[deleted]", "mañana")


def write_tables(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    folder.mkdir()
    posts = [f"p{number:05}" for number in range(1500)]
    with (folder / "posts.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "score", "title"])
        rows.writerows([post, chance.randrange(5000), f'post "{post}",\nsecond line'] for post in posts)
        rows.writerow(["broken", "no number", "dropped"])
    with (folder / "comments.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["post", "body", "sentiment"])
        for _ in range(6000):
            sentiment = "" if chance.random() < 0.1 else round(chance.uniform(-1, 1), 4)
            rows.writerow([chance.choice(posts), chance.choice(BODIES), sentiment])


class KilledClient:
    """Asks again and again, and goes on wherever it was killed."""

    def __init__(self, ronda: RunningRonda, folder: Path) -> None:
        self.ronda, self.folder = ronda, folder
        self.answers: list[str] = []
        self.start()

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            words = [sys.executable, "-m", "tests.analysis.killed_client"]
            self.process = subprocess.Popen(
                [*words, self.ronda.url, self.ronda.token, str(self.folder)], stdout=log, stderr=log
            )

    def look(self, is_over: bool) -> bool:
        """Whether it has ended; as long as it is not over it begins anew."""
        if self.process.poll() is None:
            return False
        if self.process.returncode == 0:
            self.answers.append((self.folder / "answers").read_text())
        else:
            assert self.process.returncode < 0, (self.folder / "log").read_text()[-3000:]
        if self.process.returncode or not is_over:
            self.start()
            return False
        return True

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def ronda(tmp_path: Path) -> Iterator[RunningRonda]:
    running = RunningRonda(tmp_path / "home", arguments=["--workers", "2"], environment={"RONDA_NODES": "0"})
    running.start()
    yield running
    running.stop()


def test_answers_survive_every_kill(ronda: RunningRonda, tmp_path: Path) -> None:
    status, _ = ronda.call("PUT", "/settings/session_grace_seconds", {"value": GRACE_SECONDS})
    assert status == 200
    folders = [tmp_path / f"client-{number}" for number in range(CLIENTS)]
    for number, folder in enumerate([*folders, tmp_path / "gone"]):
        write_tables(folder, seed=number)
    clients = [KilledClient(ronda, folder) for folder in folders]
    try:
        expected = [_undisturbed(client) for client in clients]
        assert len(set(expected)) == CLIENTS
        assert all(answer["complete"] for answer in json.loads(expected[0]))
        gone = _one_that_never_comes_back(ronda, tmp_path / "gone")
        for client in clients:
            client.start()
        _kill_at_random(ronda, clients)
        for client in clients:
            wait_for(lambda one=client: one.look(is_over=True), "the last answers", 240)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{ronda.log[-6000:]}") from None
    finally:
        for client in clients:
            client.kill()
    for client, undisturbed in zip(clients, expected, strict=True):
        assert len(client.answers) > 1
        assert set(client.answers) == {undisturbed}
    _assert_nothing_is_left(ronda, gone)


def _undisturbed(client: KilledClient) -> str:
    wait_for(lambda: client.look(is_over=True), "the undisturbed answers")
    return client.answers[0]


def _one_that_never_comes_back(ronda: RunningRonda, folder: Path) -> str:
    client = KilledClient(ronda, folder)

    def is_sending() -> str | None:
        newest, *_ = ronda.call("GET", "/sessions")[1]["items"]
        return str(newest["id"]) if newest["state"] == "open" and _batches(ronda, newest["id"]) > 2 else None

    try:
        return wait_for(is_sending, "a session that has begun")
    finally:
        client.kill()


def _batches(ronda: RunningRonda, session: str) -> int:
    return sum(table["batches"] for table in ronda.call("GET", f"/sessions/{session}")[1]["tables"])


def _kill_at_random(ronda: RunningRonda, clients: list[KilledClient]) -> None:
    chance = random.Random("kills of sessions")
    for number in range(KILLS):
        time.sleep(chance.uniform(0.2, 2.0))  # a moment at random is what this is about
        victim = SERVER_PARTS[number % len(SERVER_PARTS)] if KILLS < 20 else chance.choice(SERVER_PARTS)
        chance.choice(clients).kill()
        if victim == "up":
            ronda.kill_tree() if chance.random() < 0.5 else ronda.kill()
            ronda.start(wait=False)
        else:
            process = wait_for(lambda name=victim: ronda.tree().get(name), f"a {victim} to kill")
            with suppress(psutil.NoSuchProcess):
                process.kill()
            ronda.wait_for_another(victim, process)
        for client in clients:
            client.look(is_over=False)


def _assert_nothing_is_left(ronda: RunningRonda, gone: str) -> None:
    ronda.wait_until_whole()
    url = EmbeddedPostgres(ronda.home).url

    def is_clean() -> bool:
        with psycopg.connect(url) as database:
            tables = ("session", "batch", "tableclose", "answerrow", "run")
            columns = ("id", *["session_id"] * 4)
            rows = [
                database.execute(
                    f"SELECT count(*) FROM analysis_{table} WHERE {column} = %s", [gone]
                ).fetchone()
                for table, column in zip(tables, columns, strict=True)
            ]
            jobs = database.execute(
                "SELECT count(*) FROM jobs_job WHERE arguments->>'session' = %s", [gone]
            ).fetchone()
            kept = {str(row[0]) for row in database.execute("SELECT id FROM analysis_session").fetchall()}
        folders = {path.name for path in (ronda.home / "sessions").iterdir()}
        return not any(row and row[0] for row in [*rows, jobs]) and folders <= kept and gone not in folders

    # Not asked for by its name before: that would be a sign of life.
    wait_for(is_clean, "nothing to be left", 150)
    assert ronda.call("GET", f"/sessions/{gone}")[0] == 404
