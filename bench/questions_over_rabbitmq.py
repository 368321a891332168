"""The documents' way, as small as it can fairly be: filters and a joiner, each a process, over RabbitMQ, in batches.

A client sends all posts, then all comments, in batches of 15,000 rows; a filter each passes on what is needed; one
process has the mean and joins. Messages are persistent, acknowledged after the work; an end marker follows the last.
"""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from bench.reddit_data import RedditData

BATCH_ROWS = 15_000
PREFETCH = 4
WORDS = re.compile("university|college|student|teacher|professor", re.IGNORECASE)
POST = re.compile("comments/([^/]+)/")
PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server"
csv.field_size_limit(sys.maxsize)


@dataclass(frozen=True)
class Run:
    seconds: float
    said: dict[str, Any]


def what_is_missing() -> str:
    if not find_spec("pika"):
        return "the package pika is not installed"
    return "" if _program() else "there is no rabbitmq-server (Debian: apt install rabbitmq-server)"


def _program() -> str | None:
    return PROGRAM if Path(PROGRAM).exists() else shutil.which("rabbitmq-server")


def measure(data: RedditData, folder: Path) -> Run:
    """RabbitMQ itself is started before the clock is."""
    port, mapper = _free_port(), _free_port()
    broker = _start(folder / "rabbitmq", port, mapper)
    try:
        _wait(port, broker)
        return _pipeline(data, port)
    finally:
        broker.terminate()
        broker.wait(60)
        # Erlang's port mapper stays behind otherwise.
        subprocess.run(["epmd", "-port", str(mapper), "-kill"], stdout=subprocess.DEVNULL, check=False)


def _start(folder: Path, port: int, mapper: int) -> subprocess.Popen[bytes]:
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    own = {
        "RABBITMQ_NODENAME": f"bench{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(_free_port()),
        "ERL_EPMD_PORT": str(mapper),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "none"),
        "HOME": str(folder),
    }
    return subprocess.Popen(
        [str(_program())], env=os.environ | own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _wait(port: int, broker: subprocess.Popen[bytes]) -> None:
    import pika

    deadline = time.monotonic() + 90
    while True:
        try:
            pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port)).close()
            return
        except (pika.exceptions.AMQPError, OSError):
            if broker.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("RabbitMQ did not start") from None
            time.sleep(0.5)


def _pipeline(data: RedditData, port: int) -> Run:
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    began = time.monotonic()
    stages = [
        context.Process(target=_filter, args=(port, "posts", "good_posts")),
        context.Process(target=_filter, args=(port, "comments", "good_comments")),
        context.Process(target=_join, args=(port, answers)),
    ]
    for stage in stages:
        stage.start()
    with Channel(port) as channel:
        for queue, file in (("posts", data.posts), ("comments", data.comments)):
            for batch in _batches(file):
                channel.send(queue, batch)
            channel.send(queue, None)
    said = answers.get(timeout=3600)
    for stage in stages:
        stage.join()
    return Run(time.monotonic() - began, said)


class Channel:
    """A connection with the queues declared; batches go as JSON, None is the end."""

    def __init__(self, port: int) -> None:
        import pika

        self._connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port, heartbeat=0))
        self._channel = self._connection.channel()
        self._channel.basic_qos(prefetch_count=PREFETCH)
        self._properties = pika.BasicProperties(delivery_mode=2)
        for queue in ("posts", "comments", "good_posts", "good_comments"):
            self._channel.queue_declare(queue, durable=True)

    def send(self, queue: str, batch: Any) -> None:
        self._channel.basic_publish("", queue, json.dumps(batch).encode(), self._properties)

    def receive(self, queue: str, work: Callable[[Any], None]) -> None:
        """Until the end: each batch is acknowledged after its work."""
        for method, _, body in self._channel.consume(queue):
            batch = json.loads(body)
            if batch is not None:
                work(batch)
            self._channel.basic_ack(method.delivery_tag)
            if batch is None:
                break
        self._channel.cancel()

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _batches(file: Path) -> Iterator[list[list[str]]]:
    with file.open(newline="", encoding="utf-8") as lines:
        rows = csv.reader(lines)
        columns = len(next(rows))
        while batch := list(islice(rows, BATCH_ROWS)):
            yield [row for row in batch if len(row) == columns]


def _filter(port: int, queue: str, onward: str) -> None:
    keep = _good_post if queue == "posts" else _good_comment
    with Channel(port) as channel:
        channel.receive(
            queue, lambda batch: channel.send(onward, [one for row in batch if (one := keep(row))])
        )
        channel.send(onward, None)


def _good_post(row: list[str]) -> list[Any] | None:
    return [row[1], row[8], row[10], int(row[11])] if re.fullmatch(r"-?\d+", row[11]) else None


def _good_comment(row: list[str]) -> list[str] | None:
    found = POST.search(row[6])
    is_good = row[7] and row[7] not in ("[deleted]", "[removed]") and row[8] != "good"
    return [found[1], row[7]] if found and is_good else None


def _join(port: int, answers: Any) -> None:
    posts: dict[str, list[Any]] = {}
    about: Counter[str] = Counter()

    def look(batch: list[list[str]]) -> None:
        about.update(post for post, body in batch if WORDS.search(body) and post in posts)

    with Channel(port) as channel:
        channel.receive("good_posts", lambda batch: posts.update((row[0], row) for row in batch))
        channel.receive("good_comments", look)
    mean = sum(row[3] for row in posts.values()) / len(posts)
    liked = [
        [post, posts[post][3], posts[post][1] or None, posts[post][2], count]
        for post, count in about.items()
        if posts[post][3] > mean
    ]
    liked.sort(key=lambda row: (-row[1], row[0]))
    answers.put({"mean_score": [[mean, len(posts)]], "student_favourites": liked})


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
