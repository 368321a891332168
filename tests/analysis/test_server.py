"""Sessions of a running Ronda: live updates, many clients at once, too much at once, and a client's own way."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from ronda.analysis.back_pressure import IS_BUSY, BackPressure
from ronda.analysis.checksums import digest_field
from ronda.analysis.client import Asking, Server, SessionClient, ask
from ronda.http.body_limit import Message, Receive, Scope, Send
from tests.analysis.asking import SCORES, rows_csv
from tests.running import RunningRonda, run_ronda, wait_for

CLIENTS = 20
# Twenty-seven thousand million rows to look at.
SLOW = """SELECT count(*) AS n FROM scores a, scores b, scores c
WHERE hash(a.score, b.score, c.score) % 1000003 = 7"""


@pytest.fixture(scope="module")
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path_factory.mktemp("sessions") / "home",
        arguments=["--workers", "2"],
        environment={"RONDA_NODES": "0"},
    )
    running.start()
    status, _ = running.call("PUT", "/settings/sessions_per_client", {"value": 100})
    assert status == 200
    yield running
    running.stop()


@pytest.fixture
def server(ronda: RunningRonda) -> Iterator[Server]:
    with closing(Server(ronda.url, ronda.token)) as server:
        yield server


def _put(session: SessionClient, number: int, body: bytes) -> None:
    digest = digest_field(hashlib.sha256(body).digest())
    session.put("scores", number, body, {"Content-Type": "text/csv", "Content-Digest": digest})


def test_answers_sharpen_live(ronda: RunningRonda, server: Server) -> None:
    session = SessionClient(server, server.post("/sessions", {"sql": SCORES}))
    request = Request(
        f"{ronda.url}/api/v1{session.path}/events", headers={"Authorization": f"Bearer {ronda.token}"}
    )
    told: list[dict[str, Any]] = []
    with urlopen(request, timeout=60) as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        lines = iter(response)
        _put(session, 1, rows_csv(("ana", 3)))
        told.append(_until(lines, lambda seen: _total(seen) == [[3, 1]]))
        _put(session, 2, rows_csv(*[("ben", 5)] * 5))
        told.append(_until(lines, lambda seen: _total(seen) == [[28, 6]]))
        session.close({"scores": 2})
        told.append(_until(lines, lambda seen: seen["state"] == "answered"))
    assert [seen["complete"] for seen in told] == [False, False, True]
    assert [seen["rows"] for seen in told] == [1, 6, 6]


def _until(lines: Iterator[bytes], is_it: Any) -> dict[str, Any]:
    for line in lines:
        if line.startswith(b"data: "):
            seen: dict[str, Any] = json.loads(line[6:])
            if is_it(seen):
                return seen
    raise AssertionError("the events ended")


def _total(seen: dict[str, Any]) -> list[list[int]]:
    return next(answer["rows"] for answer in seen["answers"] if answer["question"] == "total")


def test_many_clients_at_once(ronda: RunningRonda, tmp_path: Path) -> None:
    def one(number: int) -> None:
        chance = random.Random(number)
        rows = [(f"n{chance.randrange(50)}", chance.randrange(1000)) for _ in range(500)]
        path = tmp_path / f"{number}.csv"
        path.write_bytes(rows_csv(*rows))
        asking = Asking(sql=SCORES, tables={"scores": [path]}, batch_bytes=2000, connections=2)
        answers = {answer["question"]: answer for answer in ask(Server(ronda.url, ronda.token), asking)}
        assert answers["total"]["rows"] == [[sum(score for _, score in rows), 500]]
        assert answers["best"]["rows"] == [
            list(row) for row in sorted(rows, key=lambda row: (-row[1], row[0]))
        ]

    with ThreadPoolExecutor(CLIENTS) as threads:
        list(threads.map(one, range(CLIENTS)))


def _command(ronda: RunningRonda, *words: str, is_local: bool) -> list[dict[str, Any]]:
    more = ["--local"] if is_local else []
    done = run_ronda("ask", *words, "--json", *more, home=ronda.home, RONDA_PORT=str(ronda.port))
    assert done.returncode == 0, done.stderr
    compared = ("question", "columns", "rows", "used", "dropped", "warnings", "parameters")
    return [{name: answer[name] for name in compared} for answer in json.loads(done.stdout)]


def test_the_command_says_the_same_with_and_without_a_server(ronda: RunningRonda, tmp_path: Path) -> None:
    posts, comments = tmp_path / "posts.csv", tmp_path / "comments.csv"
    links = [f"https://old.reddit.com/r/meirl/comments/p{number}/meirl/" for number in range(100)]
    posts.write_text(
        "id,url,score,title,permalink\n"
        + "".join(
            f'p{n},https://i.redd.it/{n}.png,{n * 7 % 40},"one\n""two""",{link}\n'
            for n, link in enumerate(links)
        )
        + "bad,,none,x,y\n"
    )
    comments.write_text(
        "permalink,body,sentiment\n"
        + "".join(f'{links[n % 100]}c{n}/,"student {n}",{(n * 31 % 200 - 100) / 100}\n' for n in range(400))
    )
    words = ["reddit", "--posts", str(posts), "--comments", str(comments), "-p", "top=3"]
    by_server = _command(ronda, *words, is_local=False)
    assert by_server == _command(ronda, *words, is_local=True)
    assert [answer["question"] for answer in by_server] == [
        "happiest_meme",
        "mean_score",
        "student_favourites",
    ]
    assert by_server[1]["dropped"]
    own = tmp_path / "own.sql"
    own.write_text("SELECT score, count(*) AS posts FROM p WHERE score > 10 GROUP BY score ORDER BY score")
    words = [str(own), "--table", f"p={posts}"]
    by_server = _command(ronda, *words, is_local=False)
    assert by_server == _command(ronda, *words, is_local=True)
    assert by_server[0]["rows"][0][0] == 11, (
        "the type of an undeclared column is found out, as without a server"
    )


def test_what_ronda_gathered_is_asked_without_sending_anything(ronda: RunningRonda, server: Server) -> None:
    answers = ask(server, "ronda")
    assert len(answers) >= 10
    assert [(answer["question"], answer["error"]) for answer in answers if answer["error"]] == []
    hosts = next(answer for answer in answers if answer["question"] == "busiest_hosts")
    assert hosts["complete"]
    evil = {
        "set.toml": "[tables.sources]\noptional = true",
        "x.sql": "SELECT * FROM gathered.public.accounts_person",
    }
    session = server.post("/sessions", {"sql": evil, "questions": "ronda"})
    assert session["state"] == "open", "a set of one's own reads its own tables, whatever it is called"


def test_a_cancelled_run_says_so(ronda: RunningRonda, server: Server) -> None:
    """Cancelling stops the engine at once; the session says that it was."""
    files = {"set.toml": SCORES["set.toml"], "slow.sql": SLOW}
    session = SessionClient(server, server.post("/sessions", {"sql": files, "is_live": False}))
    _put(session, 1, rows_csv(*((f"n{number}", number) for number in range(3000))))
    session.close({"scores": 1})

    def job() -> dict[str, Any] | None:
        _, page = ronda.call("GET", "/jobs?kind=answer_session&state=running")
        return next((one for one in page["items"] if one["arguments"]["session"] == session.id), None)

    found = wait_for(job, "the run to begin")
    ronda.call("DELETE", f"/jobs/{found['id']}")
    assert ronda.wait_for_job(found["id"], "cancelled")
    [answer] = session.wait()
    assert (answer["state"], answer["complete"]) == ("failed", True)
    assert "cancelled" in answer["error"]


def test_deleting_stops_what_runs(ronda: RunningRonda, server: Server) -> None:
    files = {"set.toml": SCORES["set.toml"], "slow.sql": SLOW}
    session = SessionClient(server, server.post("/sessions", {"sql": files, "is_live": False}))
    _put(session, 1, rows_csv(*((f"n{number}", number) for number in range(3000))))
    session.close({"scores": 1})
    session.delete()
    folder = ronda.home / "sessions" / session.id

    def is_gone() -> bool:
        _, page = ronda.call("GET", "/jobs?kind=answer_session")
        jobs = [one for one in page["items"] if one["arguments"]["session"] == session.id]
        return not jobs and not folder.exists()

    wait_for(is_gone, "the run and the files to be gone")


def test_too_much_in_flight_is_told_to_come_back() -> None:
    asyncio.run(_too_much())


async def _too_much() -> None:
    """The second batch is read to its end and stored nowhere; the first is not disturbed."""
    is_let_go = asyncio.Event()
    seen: list[tuple[bool, int]] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        seen.append((scope.get(IS_BUSY, False), len(message["body"])))
        if not scope.get(IS_BUSY):
            await is_let_go.wait()

    pressure = BackPressure(application, most_in_flight=5, most_of_a_client=1)
    path = "/api/v1/sessions/0/tables/t/batches/1"

    def scope_of(client: bytes) -> Scope:
        return {
            "type": "http",
            "path": path,
            "headers": [(b"authorization", client), (b"content-length", b"6")],
        }

    def body() -> Receive:
        pieces: list[Message] = [
            {"type": "http.request", "body": b"abc", "more_body": True},
            {"type": "http.request", "body": b"def", "more_body": False},
        ]

        async def receive() -> Message:
            return pieces.pop(0)

        return receive

    async def send(message: Message) -> None:
        raise AssertionError(message)

    first = asyncio.create_task(pressure(scope_of(b"ana"), body(), send))
    await asyncio.sleep(0)
    await pressure(scope_of(b"ana"), body(), send)
    other = asyncio.create_task(pressure(scope_of(b"ben"), body(), send))
    await asyncio.sleep(0)
    assert seen == [(False, 3), (True, 0), (False, 3)]
    is_let_go.set()
    await asyncio.gather(first, other)
    await pressure(scope_of(b"ana"), body(), send)
    assert seen[-1] == (False, 3)
